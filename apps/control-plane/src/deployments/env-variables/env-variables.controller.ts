import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { EnvVariablesService } from './env-variables.service';

@Controller()
export class EnvVariablesController implements Operations<'control-plane', 'Env Variables'> {
  constructor(private readonly variables: EnvVariablesService) {}

  @Operation('getEnvVariables')
  getEnvVariables({ principal, path, query }: Call<'getEnvVariables'>) {
    return this.variables.list(principal, path.deploymentId, query);
  }

  @Operation('setEnvVariables')
  setEnvVariables({ principal, path, body }: Call<'setEnvVariables'>) {
    return this.variables.set(principal, path.deploymentId, body);
  }
}
