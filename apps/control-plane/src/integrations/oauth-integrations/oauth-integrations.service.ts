import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import type { AddressPolicy } from '@plinth/egress';
import { AppError, invalidRequest } from '@plinth/errors';
import { CONFIG } from '@plinth/host';
import { ClientSecrets, isSameClient } from './client-secrets.service';
import { checkEndpoints } from './integration-rules';
import { toContractIntegration } from './oauth-integration.entity';
import { addressPolicyOf, type OAuthIntegrationConfig } from './oauth-integrations.config';
import { OAuthIntegrationsRepository } from './oauth-integrations.repository';
import { ProviderRevocationsRepository } from './provider-revocations.repository';

/** Keeps lists without pages to a size that one reply can have. */
const MOST_INTEGRATIONS = 100;

@Injectable()
export class OAuthIntegrationsService {
  private readonly policy: AddressPolicy;

  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly integrations: OAuthIntegrationsRepository,
    private readonly revocations: ProviderRevocationsRepository,
    private readonly secrets: ClientSecrets,
    @Inject(CONFIG) config: OAuthIntegrationConfig,
  ) {
    this.policy = addressPolicyOf(config);
  }

  async list(principal: Principal): Promise<ReplyOf<'listOAuthIntegrations'>> {
    const rows = await this.database.transaction(principal.tenantId, (tx) => this.integrations.list(tx));
    return rows.map(toContractIntegration);
  }

  async get(principal: Principal, id: number): Promise<ReplyOf<'getOAuthIntegration'>> {
    const found = await this.database.transaction(principal.tenantId, (tx) => this.integrations.find(tx, id));
    if (!found) throw integrationNotFound();
    return toContractIntegration(found);
  }

  async create(
    principal: Principal,
    body: BodyOf<'createOAuthIntegration'>,
  ): Promise<ReplyOf<'createOAuthIntegration'>> {
    const integration = { scopes: null, config: null, ...fieldsOf(body), tenantId: principal.tenantId };
    checkEndpoints(integration, this.policy);
    const sealedSecret = this.secrets.seal(body.clientSecret, integration);
    return this.database.mutate(principal, async (tx) => {
      if ((await this.integrations.count(tx)) >= MOST_INTEGRATIONS) throw tooManyIntegrations();
      return toContractIntegration(await this.integrations.insert(tx, { ...integration, sealedSecret }));
    });
  }

  /** What users have authorised stays theirs only while it is the same client of the same host. */
  async update(
    principal: Principal,
    id: number,
    body: BodyOf<'updateOAuthIntegration'>,
  ): Promise<ReplyOf<'updateOAuthIntegration'>> {
    const { clientSecret } = body;
    return this.database.mutate(principal, async (tx) => {
      const before = await this.integrations.findForUpdate(tx, id);
      if (!before) throw integrationNotFound();
      const after = { ...before, ...fieldsOf(body), updatedAt: new Date() };
      checkEndpoints(after, this.policy);
      if (!isSameClient(before, after)) {
        if (clientSecret == null) throw invalidRequest('/body/clientSecret', 'is required for another client or host');
        await this.revocations.take(tx, 'integration_id', id);
        await this.integrations.forgetTokens(tx, id);
      }
      if (clientSecret != null) after.sealedSecret = this.secrets.seal(clientSecret, after);
      return toContractIntegration(await this.integrations.save(tx, after));
    });
  }

  async delete(principal: Principal, id: number): Promise<ReplyOf<'deleteOAuthIntegration'>> {
    return this.database.mutate(principal, async (tx) => {
      // From here on nobody authorises it any more.
      await this.integrations.findForUpdate(tx, id);
      await this.revocations.take(tx, 'integration_id', id);
      if (!(await this.integrations.delete(tx, id))) throw integrationNotFound();
      return { success: true };
    });
  }
}

/** What of a body ends up in the row, and nothing else that a client sends. */
const fieldsOf = (body: BodyOf<'updateOAuthIntegration'>) => ({
  name: body.name,
  type: body.type,
  authUrl: body.authUrl,
  tokenUrl: body.tokenUrl,
  clientId: body.clientId,
  redirectUri: body.redirectUri,
  ...(body.scopes && { scopes: body.scopes }),
  ...(body.config && { config: body.config }),
});

export const integrationNotFound = (): AppError =>
  new AppError('oauth_integration.not_found', 'There is no such OAuth integration');

const tooManyIntegrations = (): AppError =>
  new AppError('oauth_integration.limit_reached', `An account has at most ${MOST_INTEGRATIONS} OAuth integrations`);
