import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { WorkloadMinting } from './workload-minting.service';

@Controller()
export class WorkloadMintingController implements Operations<'control-plane', 'Workload Tokens'> {
  constructor(private readonly minting: WorkloadMinting) {}

  @Operation('mintOidcTokens')
  mintOidcTokens({ principal, path, body }: Call<'mintOidcTokens'>) {
    return this.minting.mint(principal, path.deploymentId, body);
  }

  @Operation('mintEngineTokens')
  mintEngineTokens({ principal, body }: Call<'mintEngineTokens'>) {
    return this.minting.mint(principal, body.deploymentId, { component: 'cube_api' });
  }
}
