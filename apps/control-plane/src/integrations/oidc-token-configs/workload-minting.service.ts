import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { requestContext } from '@plinth/observability';
import { deploymentNotFound, DeploymentsRepository } from '../../deployments';
import { type WorkloadToken, WorkloadTokens } from '../../sign-in';
import { TenantSettingsService } from '../../tenancy';
import { tokenFileOf, type OidcTokenConfig } from './oidc-token-config.entity';
import { OidcTokenConfigsRepository } from './oidc-token-configs.repository';
import { subjectOf, tokenClaims, type Workload } from './token-claims';

interface MintedToken extends WorkloadToken {
  config: OidcTokenConfig;
}

/** Tokens for deployments, as the tenant's configs say. */
@Injectable()
export class WorkloadMinting {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly configs: OidcTokenConfigsRepository,
    private readonly deployments: DeploymentsRepository,
    private readonly settings: TenantSettingsService,
    private readonly tokens: WorkloadTokens,
  ) {}

  /** No token leaves without its line in the audit log. */
  async mint(
    principal: Principal,
    deploymentId: number,
    body: BodyOf<'mintOidcTokens'>,
  ): Promise<ReplyOf<'mintOidcTokens'>> {
    const { tenantId } = principal;
    const { region, configs } = await this.database.transaction(tenantId, async (tx) => ({
      region: await this.regionOf(tx, deploymentId),
      configs: await this.configs.listEnabled(tx),
    }));
    const { oidcEnabled } = await this.settings.of(tenantId);
    const workload = { deploymentId, component: body?.component ?? null, region };
    const minted: MintedToken[] = [];
    for (const config of oidcEnabled ? configs : []) {
      minted.push({ ...(await this.tokens.sign(tenantId, tokenClaims(config, workload))), config });
    }
    return this.database.mutate(principal, async (tx) => {
      for (const token of minted) record(tx, principal, workload, token);
      return { items: minted.map(toContractToken) };
    });
  }

  private async regionOf(tx: Transaction, deploymentId: number): Promise<string> {
    const deployment = await this.deployments.find(tx, deploymentId);
    if (!deployment) throw deploymentNotFound();
    return deployment.region;
  }
}

const toContractToken = ({ config: { name, targetEnvVar }, token, expiresAt }: MintedToken) => ({
  name,
  fileName: tokenFileOf(name),
  targetEnvVar,
  token,
  expiresAt: expiresAt.toISOString(),
});

function record(tx: Transaction, { kind, credentialId, email }: Principal, workload: Workload, token: MintedToken) {
  const { config, issuedAt, expiresAt } = token;
  const context = requestContext();
  tx.emit('audit.recorded', {
    event: 'Minted OIDC token',
    occurredAt: issuedAt.toISOString(),
    actorType: kind,
    actorId: credentialId,
    actorEmail: email,
    clientIp: context?.clientIp ?? null,
    deploymentId: workload.deploymentId,
    requestId: context?.requestId ?? null,
    attributes: {
      name: config.name,
      component: workload.component ?? 'global',
      audience: config.audience,
      subject: subjectOf(config.subFormat, workload),
      ttlSeconds: Math.round((expiresAt.getTime() - issuedAt.getTime()) / 1_000),
    },
  });
}
