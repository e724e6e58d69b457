import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { DeploymentSecretsService } from './deployment-secrets.service';
import { DeploymentSetupService } from './deployment-setup.service';
import { DeploymentTokensService } from './deployment-tokens.service';
import { DeploymentVersionsService } from './deployment-versions.service';
import { DeploymentsService } from './deployments.service';

@Controller()
export class DeploymentsController implements Operations<'control-plane', 'Deployments' | 'Deployment Creation'> {
  constructor(
    private readonly deployments: DeploymentsService,
    private readonly setup: DeploymentSetupService,
    private readonly versions: DeploymentVersionsService,
    private readonly tokens: DeploymentTokensService,
    private readonly secrets: DeploymentSecretsService,
  ) {}

  @Operation('getDeployments')
  getDeployments({ principal, query }: Call<'getDeployments'>) {
    return this.deployments.list(principal, query);
  }

  @Operation('getDeployment')
  getDeployment({ principal, path }: Call<'getDeployment'>) {
    return this.deployments.get(principal, path.deploymentId);
  }

  @Operation('createDeployment')
  createDeployment({ principal, body }: Call<'createDeployment'>) {
    return this.deployments.create(principal, body);
  }

  @Operation('updateDeployment')
  updateDeployment({ principal, path, body }: Call<'updateDeployment'>) {
    return this.deployments.update(principal, path.deploymentId, body);
  }

  @Operation('deleteDeployment')
  deleteDeployment({ principal, path }: Call<'deleteDeployment'>) {
    return this.deployments.delete(principal, path.deploymentId);
  }

  @Operation('getDeploymentSettings')
  getDeploymentSettings({ principal, path }: Call<'getDeploymentSettings'>) {
    return this.deployments.settings(principal, path.deploymentId);
  }

  @Operation('listDeploymentVersions')
  listDeploymentVersions({ principal, path, query }: Call<'listDeploymentVersions'>) {
    return this.versions.list(principal, path.deploymentId, query);
  }

  @Operation('deploymentToken')
  deploymentToken({ principal, path, body }: Call<'deploymentToken'>) {
    return this.tokens.create(principal, path.deploymentId, body);
  }

  @Operation('rotateDeploymentSecret')
  rotateDeploymentSecret({ principal, path, body }: Call<'rotateDeploymentSecret'>) {
    return this.secrets.rotate(principal, path.deploymentId, body);
  }

  @Operation('advanceCreationStep')
  advanceCreationStep({ principal, path, body }: Call<'advanceCreationStep'>) {
    return this.setup.advance(principal, path.deploymentId, body);
  }

  @Operation('resetCreationStep')
  resetCreationStep({ principal, path }: Call<'resetCreationStep'>) {
    return this.setup.reset(principal, path.deploymentId);
  }
}
