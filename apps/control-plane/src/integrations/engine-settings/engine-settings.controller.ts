import { Controller } from '@nestjs/common';
import { Operation, type Call } from '@plinth/messaging';
import { EngineSettingsService } from './engine-settings.service';

@Controller()
export class EngineSettingsController {
  constructor(private readonly settings: EngineSettingsService) {}

  @Operation('describeEngineSettings')
  describeEngineSettings({ principal, body }: Call<'describeEngineSettings'>) {
    return this.settings.describe(principal, body.deploymentId);
  }
}
