import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { ProvisioningSettingsService } from './provisioning-settings.service';

@Controller()
export class ProvisioningSettingsController implements Operations<'control-plane', 'SCIM Settings'> {
  constructor(private readonly settings: ProvisioningSettingsService) {}

  @Operation('getScimSettings')
  getScimSettings({ principal }: Call<'getScimSettings'>) {
    return this.settings.get(principal);
  }

  @Operation('updateScimSettings')
  updateScimSettings({ principal, body }: Call<'updateScimSettings'>) {
    return this.settings.update(principal, body);
  }
}
