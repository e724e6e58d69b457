import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { Principal } from '@plinth/auth';
import type { Bus } from '@plinth/messaging';
import { ExternalSigningKey } from './oidc-provider';

/** A key of the tenant's issuer; what is private of it stays in the control plane, which signs. */
export class TenantSigningKey extends ExternalSigningKey {
  private readonly publicKey: KeyObject;
  private readonly id: string;

  constructor(
    private readonly bus: Bus,
    private readonly principal: Principal,
    jwk: JsonWebKey,
  ) {
    super();
    this.publicKey = createPublicKey({ key: jwk, format: 'jwk' });
    this.id = String(jwk['kid']);
  }

  override get kid(): string {
    return this.id;
  }

  override get alg(): 'RS256' {
    return 'RS256';
  }

  override keyObject(): KeyObject {
    return this.publicKey;
  }

  override async sign(data: Uint8Array): Promise<Uint8Array> {
    const body = { keyId: this.id, data: Buffer.from(data).toString('utf8') };
    const { signature } = await this.bus.ask('signForIssuer', this.principal, body);
    return Buffer.from(signature, 'base64url');
  }
}
