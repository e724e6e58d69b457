import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { AppConfigService } from './app-config.service';

@Controller()
export class AppThemeController implements Operations<'control-plane', 'App Theme'> {
  constructor(private readonly appConfig: AppConfigService) {}

  @Operation('getAppConfig')
  getAppConfig({ principal }: Call<'getAppConfig'>) {
    return this.appConfig.get(principal);
  }

  @Operation('getAppTheme')
  getAppTheme({ principal }: Call<'getAppTheme'>) {
    return this.appConfig.theme(principal);
  }
}
