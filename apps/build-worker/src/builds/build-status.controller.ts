import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { BuildStatusService } from './build-status.service';

@Controller()
export class BuildStatusController implements Operations<'build-worker', 'Deployments'> {
  constructor(private readonly builds: BuildStatusService) {}

  @Operation('buildStatus')
  buildStatus({ principal, path, query }: Call<'buildStatus'>) {
    return this.builds.status(principal, path.deploymentId, query);
  }
}
