import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { toContractConfig, type OidcTokenConfig } from './oidc-token-config.entity';
import { OidcTokenConfigsRepository } from './oidc-token-configs.repository';
import { audienceOf, checkClaims, checkTarget } from './token-config-rules';

/** Keeps the list without pages, and the tokens of a deployment, to a size that one reply can have. */
const MOST_CONFIGS = 100;

@Injectable()
export class OidcTokenConfigsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly configs: OidcTokenConfigsRepository,
  ) {}

  async list(principal: Principal): Promise<ReplyOf<'listOidcTokenConfigs'>> {
    const rows = await this.database.transaction(principal.tenantId, (tx) => this.configs.list(tx));
    return rows.map(toContractConfig);
  }

  async get(principal: Principal, id: number): Promise<ReplyOf<'getOidcTokenConfig'>> {
    const found = await this.database.transaction(principal.tenantId, (tx) => this.configs.find(tx, id));
    if (!found) throw configNotFound();
    return toContractConfig(found);
  }

  async create(principal: Principal, body: BodyOf<'createOidcTokenConfig'>): Promise<ReplyOf<'createOidcTokenConfig'>> {
    const { audienceType, customAudience, customClaims = null, subFormat = null, targetEnvVar = null } = body;
    const audience = audienceOf(audienceType, customAudience);
    checkClaims(customClaims);
    checkTarget(audienceType, targetEnvVar);
    const name = body.name ?? audienceType.toLowerCase();
    const fields = { audienceType, audience, name, customClaims, subFormat, targetEnvVar };
    return this.database.mutate(principal, async (tx) => {
      if ((await this.configs.count(tx)) >= MOST_CONFIGS) throw tooManyConfigs();
      const config = { ...fields, tenantId: principal.tenantId, isEnabled: body.isEnabled ?? true };
      return toContractConfig(await this.configs.insert(tx, config));
    });
  }

  async update(
    principal: Principal,
    id: number,
    body: BodyOf<'updateOidcTokenConfig'> = {},
  ): Promise<ReplyOf<'updateOidcTokenConfig'>> {
    checkClaims(body.customClaims);
    return this.database.mutate(principal, async (tx) => {
      const config = await this.configs.findForUpdate(tx, id);
      if (!config) throw configNotFound();
      checkTarget(config.audienceType, body.targetEnvVar);
      return toContractConfig(await this.configs.save(tx, changed(config, body)));
    });
  }

  async delete(principal: Principal, id: number): Promise<ReplyOf<'deleteOidcTokenConfig'>> {
    return this.database.mutate(principal, async (tx) => {
      if (!(await this.configs.delete(tx, id))) throw configNotFound();
      return { success: true };
    });
  }
}

/** Null clears what a config can be without, and stands for no change elsewhere. */
const changed = (config: OidcTokenConfig, body: NonNullable<BodyOf<'updateOidcTokenConfig'>>): OidcTokenConfig => {
  const { subFormat, customClaims, targetEnvVar } = { ...config, ...body };
  return {
    ...config,
    ...{ subFormat, customClaims, targetEnvVar },
    audience: audienceOf(config.audienceType, body.customAudience ?? config.audience),
    name: body.name ?? config.name,
    isEnabled: body.isEnabled ?? config.isEnabled,
    updatedAt: new Date(),
  };
};

const configNotFound = (): AppError =>
  new AppError('oidc_token_config.not_found', 'There is no such OIDC token config');

const tooManyConfigs = (): AppError =>
  new AppError('oidc_token_config.limit_reached', `An account has at most ${MOST_CONFIGS} OIDC token configs`);
