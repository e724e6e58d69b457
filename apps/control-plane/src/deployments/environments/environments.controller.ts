import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { EnvironmentTokensService } from './environment-tokens.service';
import { EnvironmentsService } from './environments.service';

@Controller()
export class EnvironmentsController implements Operations<'control-plane', 'Environments'> {
  constructor(
    private readonly environments: EnvironmentsService,
    private readonly tokens: EnvironmentTokensService,
  ) {}

  @Operation('getDeploymentEnvironments')
  getDeploymentEnvironments({ principal, path, query }: Call<'getDeploymentEnvironments'>) {
    return this.environments.list(principal, path.deploymentId, query);
  }

  @Operation('locateEnvironment')
  locateEnvironment({ principal, body }: Call<'locateEnvironment'>) {
    return this.environments.locate(principal, body);
  }

  @Operation('getDeploymentEnvironmentTokens')
  getDeploymentEnvironmentTokens({ principal, path, query }: Call<'getDeploymentEnvironmentTokens'>) {
    return this.tokens.list(principal, path, query);
  }

  @Operation('createDeploymentEnvironmentToken')
  createDeploymentEnvironmentToken({ principal, path, body }: Call<'createDeploymentEnvironmentToken'>) {
    return this.tokens.create(principal, path, body);
  }

  @Operation('createDeploymentEnvironmentTokenForMetaSync')
  createDeploymentEnvironmentTokenForMetaSync(call: Call<'createDeploymentEnvironmentTokenForMetaSync'>) {
    return this.tokens.createForMetaSync(call.principal, call.path, call.body);
  }
}
