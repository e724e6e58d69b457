import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { DevModeService } from './dev-mode.service';

type DevModeOperations = Pick<Operations<'build-worker', 'Data Model'>, 'startDevMode' | 'stopDevMode'>;

@Controller()
export class DevModeController implements DevModeOperations {
  constructor(private readonly devMode: DevModeService) {}

  @Operation('startDevMode')
  startDevMode({ principal, path, body }: Call<'startDevMode'>) {
    return this.devMode.start(principal, path.deploymentId, body);
  }

  @Operation('stopDevMode')
  stopDevMode({ principal, path }: Call<'stopDevMode'>) {
    return this.devMode.stop(principal, path.deploymentId);
  }
}
