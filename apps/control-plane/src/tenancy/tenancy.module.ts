import { Module } from '@nestjs/common';
import { TenantSettingsModule } from './tenant-settings/tenant-settings.module';
import { TenantsModule } from './tenants/tenants.module';

const features = [TenantsModule, TenantSettingsModule];

@Module({ imports: features, exports: features })
export class TenancyDomain {}
