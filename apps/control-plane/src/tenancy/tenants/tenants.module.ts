import { Module } from '@nestjs/common';
import { TenantAddresses } from './tenant-addresses.service';
import { TenantsRepository } from './tenants.repository';

@Module({ providers: [TenantAddresses, TenantsRepository], exports: [TenantAddresses, TenantsRepository] })
export class TenantsModule {}
