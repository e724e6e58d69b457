import { Inject, Injectable } from '@nestjs/common';
import { SecretBox } from '@plinth/database';
import type { OAuthIntegration } from './oauth-integration.entity';

/** Whom a client secret is for. */
export type ClientIdentity = Pick<OAuthIntegration, 'tenantId' | 'clientId' | 'tokenUrl'>;

/** Keeps client secrets. Each opens only for the client, and the host, that it was given for. */
@Injectable()
export class ClientSecrets {
  constructor(@Inject(SecretBox) private readonly secrets: SecretBox) {}

  seal(secret: string, client: ClientIdentity): string {
    return this.secrets.seal(secret, contextOf(client));
  }

  open({ sealedSecret, ...client }: ClientIdentity & Pick<OAuthIntegration, 'sealedSecret'>): string {
    return this.secrets.open(sealedSecret, contextOf(client));
  }
}

/** Whether a secret for the one is a secret for the other. */
export const isSameClient = (one: ClientIdentity, other: ClientIdentity): boolean =>
  contextOf(one) === contextOf(other);

const contextOf = ({ tenantId, clientId, tokenUrl }: ClientIdentity): string =>
  `tenant:${tenantId}:oauth-client:${new URL(tokenUrl).origin}:${clientId}`;
