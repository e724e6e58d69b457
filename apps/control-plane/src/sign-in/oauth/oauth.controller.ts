import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { OAuthArtefacts } from './oauth-artefacts.service';
import { SigningKeys } from './signing-keys.service';

@Controller()
export class OAuthController implements Operations<'control-plane', 'OAuth'> {
  constructor(
    private readonly artefacts: OAuthArtefacts,
    private readonly keys: SigningKeys,
  ) {}

  @Operation('storeOAuthArtefact')
  storeOAuthArtefact({ principal, body }: Call<'storeOAuthArtefact'>) {
    return this.artefacts.store(principal, body);
  }

  @Operation('findOAuthArtefact')
  findOAuthArtefact({ principal, body }: Call<'findOAuthArtefact'>) {
    return this.artefacts.find(principal, body);
  }

  @Operation('consumeOAuthArtefact')
  consumeOAuthArtefact({ principal, body }: Call<'consumeOAuthArtefact'>) {
    return this.artefacts.consume(principal, body);
  }

  @Operation('destroyOAuthArtefact')
  destroyOAuthArtefact({ principal, body }: Call<'destroyOAuthArtefact'>) {
    return this.artefacts.destroy(principal, body);
  }

  @Operation('revokeOAuthGrant')
  revokeOAuthGrant({ principal, body }: Call<'revokeOAuthGrant'>) {
    return this.artefacts.revokeGrant(principal, body);
  }

  @Operation('noteDevicePoll')
  noteDevicePoll({ principal, body }: Call<'noteDevicePoll'>) {
    return this.artefacts.notePoll(principal, body);
  }

  @Operation('listSigningKeys')
  listSigningKeys({ principal }: Call<'listSigningKeys'>) {
    return this.keys.describe(principal);
  }

  @Operation('signForIssuer')
  async signForIssuer({ principal, body }: Call<'signForIssuer'>) {
    return { signature: await this.keys.sign(principal.tenantId, body.keyId, body.data) };
  }
}
