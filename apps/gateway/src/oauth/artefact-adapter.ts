import { hash } from 'node:crypto';
import type { Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import type { Bus } from '@plinth/messaging';
import type { Adapter, AdapterPayload, ClientMetadata } from 'oidc-provider';
import { clientOf } from './client-registration';
import { errors } from './oidc-provider';

type Kind = Schemas['OAuthArtefactKind'];

/** Kept for longer than they work, so that a late device learns that its code has expired. */
const AFTERLIFE_SECONDS: Partial<Record<Kind, number>> = { DeviceCode: 900 };
/** A refresh token may be presented again within a grace period, which its owner keeps. */
const REPEATABLE: readonly Kind[] = ['RefreshToken'];

export const hashOf = (secret: string): string => hash('sha256', secret);

/** Storage of the authorization server, in the control plane of the tenant. Ids of artefacts cross the bus hashed. */
export class ArtefactAdapter implements Adapter {
  constructor(
    private readonly bus: Bus,
    private readonly principal: Principal,
    private readonly kind: Kind,
    private readonly clients: readonly ClientMetadata[],
  ) {}

  async upsert(id: string, payload: AdapterPayload, expiresIn = 1): Promise<void> {
    const { accountId, clientId, grantId, scope } = payload;
    const alias = payload.userCode ?? (this.kind === 'Session' ? payload.uid : undefined);
    const clientName = this.clientNameOf(clientId);
    await this.bus.ask('storeOAuthArtefact', this.principal, {
      kind: this.kind,
      idHash: hashOf(id),
      content: this.content(payload),
      expiresInSeconds: Math.max(1, expiresIn) + (AFTERLIFE_SECONDS[this.kind] ?? 0),
      ...(alias !== undefined && { aliasHash: hashOf(alias) }),
      ...(grantId !== undefined && { grantHash: hashOf(grantId) }),
      ...(accountId !== undefined && { userId: Number(accountId) }),
      ...(clientId !== undefined && { clientId }),
      ...(clientName !== undefined && { clientName }),
      ...(scope !== undefined && { scope }),
    });
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const content = await this.look({ idHash: hashOf(id) });
    return content && { ...content, jti: id };
  }

  findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.look({ aliasHash: hashOf(userCode) });
  }

  findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.look({ aliasHash: hashOf(uid) });
  }

  async consume(id: string): Promise<void> {
    const { isFirst } = await this.bus.ask('consumeOAuthArtefact', this.principal, {
      kind: this.kind,
      idHash: hashOf(id),
    });
    if (!isFirst && !REPEATABLE.includes(this.kind)) throw new errors.InvalidGrant('it was used already');
  }

  async destroy(id: string): Promise<void> {
    await this.bus.ask('destroyOAuthArtefact', this.principal, { kind: this.kind, idHash: hashOf(id) });
  }

  /** The server asks this for each kind; once is enough. */
  async revokeByGrantId(grantId: string): Promise<void> {
    if (this.kind !== 'AccessToken') return;
    await this.bus.ask('revokeOAuthGrant', this.principal, { grantHash: hashOf(grantId) });
  }

  private clientNameOf(clientId = ''): string | undefined {
    return (this.clients.find(({ client_id }) => client_id === clientId) ?? clientOf(clientId))?.client_name;
  }

  /** Without the secret that the artefact is found by, unless it is found by another. */
  private content({ jti, ...rest }: AdapterPayload): Record<string, unknown> {
    return this.kind === 'DeviceCode' ? { ...rest, jti } : rest;
  }

  private async look(name: { idHash: string } | { aliasHash: string }): Promise<AdapterPayload | undefined> {
    const { content } = await this.bus.ask('findOAuthArtefact', this.principal, { kind: this.kind, ...name });
    return content ?? undefined;
  }
}
