import { Inject, Injectable } from '@nestjs/common';
import { visibleDeployments, type Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { byId, Database, type Transaction } from '@plinth/database';
import { twoStylePage } from '../../kernel';
import { RegionsService } from '../regions/regions.service';
import { ReleasesService } from '../versions/releases.service';
import { deploymentNotFound } from '../secrets/deployment-errors';
import { DeploymentAddresses } from './deployment-addresses';
import { DeploymentNotices } from './deployment-notices';
import { DeploymentRuntime } from './deployment-runtime';
import { DeploymentSecretsRepository } from '../secrets/deployment-secrets.repository';
import { changedSettings, normaliseName, refuseNullCharacters } from './deployment-settings';
import { toContractDeployment, toContractSettings, toContractSummary, type Deployment } from './deployment.entity';
import { DeploymentsRepository, type NewDeployment } from './deployments.repository';

@Injectable()
export class DeploymentsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly deployments: DeploymentsRepository,
    private readonly secrets: DeploymentSecretsRepository,
    private readonly releases: ReleasesService,
    private readonly regions: RegionsService,
    private readonly addresses: DeploymentAddresses,
    private readonly notices: DeploymentNotices,
    private readonly runtime: DeploymentRuntime,
  ) {}

  async list(principal: Principal, query: QueryOf<'getDeployments'>): Promise<ReplyOf<'getDeployments'>> {
    const { tenantId } = principal;
    const creationSteps = query.creationStep?.length ? [...new Set(query.creationStep)].sort() : undefined;
    const filter = { ids: visibleDeployments(principal, 'DeploymentRead'), creationSteps };
    const page = await this.database.transaction(tenantId, (tx) =>
      twoStylePage(query, {
        name: 'deployments',
        filters: { tenantId, creationSteps },
        positionOf: byId,
        read: (limit, [afterId]) => this.deployments.listAfter(tx, filter, limit, afterId),
        readSlice: (offset, limit) => this.deployments.listSlice(tx, filter, offset, limit),
        count: () => this.deployments.count(tx, filter),
      }),
    );
    const { legacyRows, pageInfo, pagination } = page;
    const items = page.items.map((row) => toContractDeployment(row, this.addresses.baseUrl(row)));
    const data = legacyRows ? { deployments: legacyRows.map(toContractSummary) } : items;
    return { items, pageInfo, data, pagination, count: pagination.total, totalCount: pagination.total };
  }

  async get(principal: Principal, id: number): Promise<ReplyOf<'getDeployment'>> {
    const outline = await this.deployments.findOutline(this.database, principal.tenantId, id);
    if (!outline) throw deploymentNotFound();
    return toContractDeployment(outline, this.addresses.baseUrl(outline));
  }

  async settings(principal: Principal, id: number): Promise<ReplyOf<'getDeploymentSettings'>> {
    const deployment = await this.database.transaction(principal.tenantId, (tx) => this.deployments.find(tx, id));
    if (!deployment) throw deploymentNotFound();
    return this.settingsOf(principal, deployment, await this.runtime.isCold(principal.tenantId, id));
  }

  async create(principal: Principal, body: BodyOf<'createDeployment'>): Promise<ReplyOf<'createDeployment'>> {
    const wanted = withDefaults(body);
    return this.database.mutate(principal, async (tx) => {
      this.regions.requireRegion(wanted.region);
      const { tenantId } = principal;
      const release = await this.releases.install(tx, tenantId);
      const deployment = await this.deployments.insert(tx, { ...wanted, ...release, tenantId });
      await this.secrets.create(tx, tenantId, deployment.id);
      tx.emit('deployment.created', { deploymentId: deployment.id });
      return toContractDeployment(deployment, this.addresses.baseUrl(deployment));
    });
  }

  async update(
    principal: Principal,
    id: number,
    body: BodyOf<'updateDeployment'>,
  ): Promise<ReplyOf<'updateDeployment'>> {
    const isCold = await this.runtime.isCold(principal.tenantId, id);
    return this.database.mutate(principal, async (tx) => {
      const deployment = await this.change(tx, principal.tenantId, id, body ?? {});
      tx.emit('deployment.updated', { deploymentId: id });
      this.notices.changedBy(tx, id);
      return this.settingsOf(principal, deployment, isCold);
    });
  }

  /** Variables, tokens and the secret go with the row; the build worker hears of it and removes the data model. */
  async delete(principal: Principal, id: number): Promise<ReplyOf<'deleteDeployment'>> {
    return this.database.mutate(principal, async (tx) => {
      if (!(await this.deployments.delete(tx, id))) throw deploymentNotFound();
      tx.emit('deployment.deleted', { deploymentId: id });
      this.notices.changedBy(tx, id);
      return { success: true };
    });
  }

  private async change(
    tx: Transaction,
    tenantId: number,
    id: number,
    changes: NonNullable<BodyOf<'updateDeployment'>>,
  ): Promise<Deployment> {
    const deployment = await this.deployments.findForUpdate(tx, id);
    if (!deployment) throw deploymentNotFound();
    const settings = changedSettings(deployment, changes);
    if (settings.region !== undefined && settings.region !== deployment.region) {
      this.regions.requireRegion(settings.region);
    }
    const release = await this.releases.change(tx, tenantId, deployment, changes);
    return this.deployments.save(tx, Object.assign(deployment, settings, release));
  }

  private settingsOf(
    { tenantName }: Principal,
    deployment: Deployment,
    isCold: boolean | null,
  ): ReplyOf<'getDeploymentSettings'> {
    const { catalogue } = this.releases;
    return toContractSettings(deployment, {
      deploymentUrl: this.addresses.baseUrl(deployment),
      autoDomain: this.addresses.generatedHost(deployment),
      chatUrl: this.addresses.chatUrl(deployment, tenantName),
      releaseChannelVersion: catalogue.reference(deployment.version),
      image: catalogue.imageName,
      isCold,
    });
  }
}

type Wanted = Omit<NewDeployment, 'tenantId' | 'releaseChannel' | 'version' | 'isVersionHeld'>;

function withDefaults(body: BodyOf<'createDeployment'>): Wanted {
  refuseNullCharacters(body, '/body');
  const { cloudProvider, region, targetPlatform, isManaged, creationStep } = body;
  return {
    name: normaliseName(body.name),
    cloudProvider,
    region,
    targetPlatform,
    isManaged,
    creationStep,
    creationMethod: body.creationMethod ?? null,
    deployMode: body.deployMode ?? 'git',
    deployBranchName: 'main',
    deployBranchReadOnly: false,
    deployBranchMergeAllowed: true,
    deployProjectRoot: '',
    template: 'single',
    templateVariables: {},
    customDomain: null,
    isChatTokenAllowed: false,
    defaultLaunchpadViewGroup: null,
    launchpadTabs: null,
    cspsConfig: body.cspsConfig ?? null,
  };
}
