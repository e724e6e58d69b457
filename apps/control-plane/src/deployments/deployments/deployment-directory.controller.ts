import { Controller } from '@nestjs/common';
import { Operation, type Call } from '@plinth/messaging';
import { DeploymentDirectoryService } from './deployment-directory.service';

@Controller()
export class DeploymentDirectoryController {
  constructor(private readonly directory: DeploymentDirectoryService) {}

  @Operation('describeDeployment')
  describeDeployment({ principal, body }: Call<'describeDeployment'>) {
    return this.directory.describe(principal, body.deploymentId);
  }

  @Operation('recordDeploymentSource')
  recordDeploymentSource({ principal, body }: Call<'recordDeploymentSource'>) {
    return this.directory.recordSource(principal, body);
  }
}
