import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { TenantSettingsService } from './tenant-settings.service';

@Controller()
export class TenantSettingsController implements Operations<'control-plane', 'Tenant Settings'> {
  constructor(private readonly settings: TenantSettingsService) {}

  @Operation('getTenantSettings')
  getTenantSettings({ principal }: Call<'getTenantSettings'>) {
    return this.settings.get(principal);
  }

  @Operation('updateTenantSettings')
  updateTenantSettings({ principal, body }: Call<'updateTenantSettings'>) {
    return this.settings.update(principal, body);
  }
}
