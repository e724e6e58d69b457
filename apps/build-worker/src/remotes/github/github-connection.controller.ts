import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { GithubConnectService } from './github-connect.service';

@Controller()
export class GithubConnectionController implements Operations<'build-worker', 'GitHub Connection'> {
  constructor(private readonly connections: GithubConnectService) {}

  @Operation('connect')
  connect({ principal, path, body }: Call<'connect'>) {
    return this.connections.connect(principal, path.deploymentId, body);
  }
}
