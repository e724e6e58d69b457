import { createPrivateKey, generateKeyPair, randomUUID, sign as signBytes, type JsonWebKey } from 'node:crypto';
import { promisify } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { Database, SecretBox } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { CONFIG } from '@plinth/host';
import type { OAuthConfig } from './oauth.config';
import { TenantSettingsRepository } from '../../tenancy';
import type { SigningKey } from './signing-key.entity';
import { SigningKeysRepository } from './signing-keys.repository';

const DAY_MS = 86_400_000;
const generateKeys = promisify(generateKeyPair);
const signAsync = promisify(signBytes);

/** Keys of each tenant's issuer (RS256). Private keys leave this class neither in the clear nor sealed. */
@Injectable()
export class SigningKeys {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(SecretBox) private readonly secrets: SecretBox,
    private readonly keys: SigningKeysRepository,
    private readonly settings: TenantSettingsRepository,
    @Inject(CONFIG) private readonly config: OAuthConfig,
  ) {}

  async describe({ tenantId }: Principal): Promise<ReplyOf<'listSigningKeys'>> {
    const keys = await this.published(tenantId);
    const { oidcEnabled } = await this.database.transaction(tenantId, (tx) => this.settings.find(tx, tenantId));
    return { keys: keys.map(({ publicKey }) => publicKey), isIssuerEnabled: oidcEnabled };
  }

  /** Id of the key that new tokens are signed with. */
  async currentId(tenantId: number): Promise<string> {
    const [current] = await this.published(tenantId);
    if (!current) throw new Error(`Tenant ${tenantId} has no signing key`);
    return current.keyId;
  }

  /**
   * Signature of the data in base64url.
   *
   * @throws AppError `service.unavailable` (503) when the key was rotated away meanwhile: look it up again.
   */
  async sign(tenantId: number, keyId: string, data: string): Promise<string> {
    const key = (await this.published(tenantId)).find((each) => each.keyId === keyId);
    if (!key) throw new AppError('service.unavailable', 'The signing key has just been replaced');
    const privateKey = createPrivateKey(this.secrets.open(key.sealedPrivateKey, contextOf(key)));
    return (await signAsync('sha256', Buffer.from(data), privateKey)).toString('base64url');
  }

  /** Replaces the current key; tokens of the one before it can be verified until the next time. */
  async rotate(tenantId: number): Promise<{ keyId: string }> {
    const [current] = await this.database.transaction(tenantId, (tx) => this.keys.list(tx));
    await this.add(tenantId, (current?.generation ?? 0) + 1);
    return { keyId: await this.currentId(tenantId) };
  }

  /** The current key and the previous one. The first is made when it is needed, the next when its time has come. */
  private async published(tenantId: number): Promise<SigningKey[]> {
    const [current, ...previous] = await this.database.transaction(tenantId, (tx) => this.keys.list(tx));
    if (current && Date.now() - current.createdAt.getTime() < this.config.signingKeyRotationDays * DAY_MS) {
      return [current, ...previous];
    }
    await this.add(tenantId, (current?.generation ?? 0) + 1);
    return this.database.transaction(tenantId, (tx) => this.keys.list(tx));
  }

  private async add(tenantId: number, generation: number): Promise<void> {
    const pair = await generateKeys('rsa', { modulusLength: 2_048 });
    const keyId = randomUUID();
    const publicKey: JsonWebKey = { ...pair.publicKey.export({ format: 'jwk' }), kid: keyId, alg: 'RS256', use: 'sig' };
    const pem = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
    const sealedPrivateKey = this.secrets.seal(pem, contextOf({ tenantId, keyId }));
    await this.database.transaction(tenantId, (tx) =>
      this.keys.add(tx, { tenantId, generation, keyId, publicKey: { ...publicKey }, sealedPrivateKey }),
    );
  }
}

const contextOf = ({ tenantId, keyId }: Pick<SigningKey, 'tenantId' | 'keyId'>): string =>
  `tenant:${tenantId}:signing-key:${keyId}`;
