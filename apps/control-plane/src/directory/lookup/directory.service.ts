import { Inject, Injectable } from '@nestjs/common';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { LOGGER } from '@plinth/host';
import type { Logger } from '@plinth/observability';
import { EffectivePolicies } from '../../rights';
import { ApiKeysRepository, credentialIdOf as credentialIdOfKey, ScimTokensRepository } from '../../credentials';
import { DeploymentHosts } from '../../deployments';
import { credentialIdOf, OAuthArtefactsRepository } from '../../sign-in';
import { TenantsRepository } from '../../tenancy';

/** Answers the gateways: which tenant a host is, and whom a credential stands for. */
@Injectable()
export class DirectoryService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly tenants: TenantsRepository,
    private readonly deployments: DeploymentHosts,
    private readonly apiKeys: ApiKeysRepository,
    private readonly artefacts: OAuthArtefactsRepository,
    private readonly scimTokens: ScimTokensRepository,
    private readonly policies: EffectivePolicies,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async resolveTenant({ host, accountName }: BodyOf<'resolveTenant'>): Promise<ReplyOf<'resolveTenant'>> {
    if (accountName !== undefined) {
      const account = await this.tenants.findAccount(this.database, accountName);
      return { tenant: account ? { tenantId: account.id, tenantName: account.name } : null };
    }
    const tenant = await this.tenants.findByHost(this.database, host);
    if (tenant) return { tenant: { tenantId: tenant.id, tenantName: tenant.name } };
    const found = await this.deployments.find(host);
    if (!found) return { tenant: null };
    const { deploymentId, ...owner } = found;
    return { tenant: owner, deploymentId };
  }

  async authenticate(
    { tenantId, tokenHash }: BodyOf<'authenticate'>,
    tenantName: string,
  ): Promise<ReplyOf<'authenticate'>> {
    const holder = await this.apiKeys.findHolder(this.database, tenantId, tokenHash);
    if (!holder) {
      const user = await this.tokenHolder(tenantId, tenantName, tokenHash);
      return { principal: user ?? (await this.identityProvider(tenantId, tenantName, tokenHash)) };
    }
    const { keyId, isAllowedAsPersonal, isUseNoted, ...facts } = holder;
    if (!holder.isAdmin && !isAllowedAsPersonal) return { principal: null, refusal: 'access.personal_keys_off' };
    if (!isUseNoted) this.noteUse(tenantId, keyId);
    const grants = holder.isAdmin ? [] : await this.policies.grants(tenantId, holder.userId);
    return {
      principal: { ...facts, kind: 'api-key', credentialId: credentialIdOfKey(keyId), tenantId, tenantName, grants },
    };
  }

  /** Nobody waits for it. */
  private noteUse(tenantId: number, keyId: number): void {
    this.apiKeys
      .touch(this.database, tenantId, keyId)
      .catch((error: unknown) => this.logger.warn({ err: error }, 'the use of a key could not be noted'));
  }

  /** Whoever holds an access token may do what its user may; refreshing it makes no other credential of it. */
  private async tokenHolder(
    tenantId: number,
    tenantName: string,
    tokenHash: string,
  ): Promise<ReplyOf<'authenticate'>['principal']> {
    const holder = await this.artefacts.findTokenHolder(this.database, tenantId, tokenHash);
    if (!holder) return null;
    const { grantHash, isForApi, ...facts } = holder;
    const grants = holder.isAdmin ? [] : await this.policies.grants(tenantId, holder.userId);
    const credentialId = credentialIdOf(grantHash);
    const kind = isForApi ? 'access-token' : 'mcp-token';
    return { ...facts, kind, credentialId, deploymentIds: null, tenantId, tenantName, grants };
  }

  /** An identity provider administers accounts, and the gateways let its token reach nothing else. */
  private async identityProvider(
    tenantId: number,
    tenantName: string,
    tokenHash: string,
  ): Promise<ReplyOf<'authenticate'>['principal']> {
    const token = await this.scimTokens.findLive(this.database, tenantId, tokenHash);
    if (!token) return null;
    return {
      kind: 'scim-token',
      credentialId: `scim-token:${token.tokenId}`,
      tenantId,
      tenantName,
      userId: null,
      userName: token.name ?? 'Identity provider',
      email: null,
      isAdmin: true,
      deploymentIds: null,
      grants: [],
    };
  }
}
