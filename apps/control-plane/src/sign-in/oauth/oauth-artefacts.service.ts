import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database, SecretBox } from '@plinth/database';
import { requestContext } from '@plinth/observability';
import { AccessChanges } from '../../kernel';
import { GuessingThrottle } from '../guessing/guessing-throttle';
import { OAuthArtefactsRepository, type ArtefactReference, type StoredArtefact } from './oauth-artefacts.repository';

/**
 * How long a refresh token still works after it was used: two processes of one person share a file, and a reply can
 * get lost. Later it counts as stolen.
 */
const REFRESH_GRACE_SECONDS = 30;

/** Storage of the authorization server, which runs at the edge: tokens, codes, approvals, sessions. */
@Injectable()
export class OAuthArtefacts {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(SecretBox) private readonly secrets: SecretBox,
    private readonly artefacts: OAuthArtefactsRepository,
    private readonly changes: AccessChanges,
    private readonly throttle: GuessingThrottle,
  ) {}

  async store({ tenantId }: Principal, body: BodyOf<'storeOAuthArtefact'>): Promise<ReplyOf<'storeOAuthArtefact'>> {
    const { content, expiresInSeconds, kind, idHash, aliasHash, grantHash, userId, clientId, clientName, scope } = body;
    await this.database.transaction(tenantId, (tx) =>
      this.artefacts.put(tx, {
        tenantId,
        kind,
        idHash,
        aliasHash: aliasHash ?? null,
        grantHash: (kind === 'Grant' ? idHash : grantHash) ?? null,
        userId: userId ?? null,
        clientId: clientId ?? null,
        clientName: clientName ?? null,
        clientIp: requestContext()?.clientIp ?? null,
        scope: scope ?? null,
        sealedContent: this.secrets.seal(JSON.stringify(content), contextOf(tenantId, body)),
        expiresAt: new Date(Date.now() + expiresInSeconds * 1_000),
      }),
    );
    return {};
  }

  async find(
    { tenantId }: Principal,
    { kind, idHash, aliasHash }: BodyOf<'findOAuthArtefact'>,
  ): Promise<ReplyOf<'findOAuthArtefact'>> {
    const stored =
      idHash === undefined
        ? aliasHash && (await this.findByAlias(tenantId, kind, aliasHash))
        : await this.artefacts.findById(this.database, tenantId, kind, idHash);
    return { content: stored ? this.opened(tenantId, kind, stored) : null };
  }

  async consume(
    { tenantId }: Principal,
    reference: BodyOf<'consumeOAuthArtefact'>,
  ): Promise<ReplyOf<'consumeOAuthArtefact'>> {
    return { isFirst: await this.database.transaction(tenantId, (tx) => this.artefacts.consume(tx, reference)) };
  }

  async destroy(
    { tenantId }: Principal,
    reference: BodyOf<'destroyOAuthArtefact'>,
  ): Promise<ReplyOf<'destroyOAuthArtefact'>> {
    await this.database.transaction(tenantId, (tx) => this.artefacts.end(tx, reference));
    if (reference.kind === 'AccessToken') this.changes.announce(tenantId);
    return {};
  }

  revokeGrant(principal: Principal, { grantHash }: BodyOf<'revokeOAuthGrant'>): Promise<ReplyOf<'revokeOAuthGrant'>> {
    return this.changes.mutate(principal, async (tx) => {
      await this.artefacts.endGrant(tx, grantHash);
      return {};
    });
  }

  async notePoll(
    { tenantId }: Principal,
    { idHash, intervalSeconds }: BodyOf<'noteDevicePoll'>,
  ): Promise<ReplyOf<'noteDevicePoll'>> {
    const seconds = await this.database.transaction(tenantId, (tx) => this.artefacts.notePoll(tx, idHash));
    return { isTooSoon: seconds !== null && seconds < intervalSeconds };
  }

  /** The second name of a device is a code that people type in, short enough to be guessed at. */
  private async findByAlias(tenantId: number, kind: Schemas['OAuthArtefactKind'], aliasHash: string) {
    const find = () => this.artefacts.findByAlias(this.database, tenantId, kind, aliasHash);
    if (kind !== 'DeviceCode') return find();
    const address = requestContext()?.clientIp ?? '';
    await this.throttle.enterCode(address);
    const found = await find();
    if (found) await this.throttle.acceptCode(address);
    return found;
  }

  private opened(tenantId: number, kind: Schemas['OAuthArtefactKind'], stored: StoredArtefact) {
    const { idHash, sealedContent, consumedForSeconds } = stored;
    const content = JSON.parse(this.secrets.open(sealedContent, contextOf(tenantId, { kind, idHash }))) as object;
    const grace = kind === 'RefreshToken' ? REFRESH_GRACE_SECONDS : 0;
    const isUsedUp = consumedForSeconds !== null && consumedForSeconds >= grace;
    return { ...content, ...(isUsedUp && { consumed: true }) };
  }
}

const contextOf = (tenantId: number, { kind, idHash }: ArtefactReference): string =>
  `tenant:${tenantId}:oauth:${kind}:${idHash}`;
