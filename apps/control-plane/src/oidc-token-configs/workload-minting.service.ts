import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { requestContext } from '@plinth/observability';
import { deploymentNotFound } from '../deployments/deployment-access';
import { DeploymentsRepository } from '../deployments/deployments.repository';
import { WorkloadTokens, type WorkloadToken } from '../oauth/workload-tokens.service';
import { TenantSettingsService } from '../tenant-settings/tenant-settings.service';
import type { OidcTokenConfig } from './oidc-token-config.entity';
import { OidcTokenConfigsRepository } from './oidc-token-configs.repository';
import { subjectOf, tokenClaims, type Workload } from './token-claims';

const FILE_PREFIX = 'cube_cloud_token_';

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

  /** Not for clients: the caller is a service, acting inside the tenant of the principal. */
  async mint(principal: Principal, order: BodyOf<'mintWorkloadTokens'>): Promise<ReplyOf<'mintWorkloadTokens'>> {
    const { tenantId } = principal;
    if (!(await this.settings.of(tenantId)).oidcEnabled) return { tokens: [] };
    const { workload, configs } = await this.database.transaction(tenantId, async (tx) => ({
      workload: { ...order, region: await this.regionOf(tx, order.deploymentId) },
      configs: await this.configs.listEnabled(tx),
    }));
    const minted: MintedToken[] = [];
    for (const config of configs) {
      minted.push({ ...(await this.tokens.sign(tenantId, tokenClaims(config, workload))), config });
    }
    // No token leaves without its line in the audit log.
    await this.database.transaction(tenantId, async (tx) => {
      for (const token of minted) record(tx, principal, workload, token);
    });
    return { tokens: minted.map(toContractToken) };
  }

  private async regionOf(tx: Transaction, deploymentId: number | null): Promise<string | null> {
    if (deploymentId === null) return null;
    const deployment = await this.deployments.find(tx, deploymentId);
    if (!deployment) throw deploymentNotFound();
    return deployment.region;
  }
}

const toContractToken = ({ config: { name, targetEnvVar }, token, expiresAt }: MintedToken) => ({
  name,
  fileName: `${FILE_PREFIX}${name}`,
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
