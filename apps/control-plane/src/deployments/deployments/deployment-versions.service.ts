import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database, inMemoryList, keysetList, type CursorPosition } from '@plinth/database';
import { ReleasesService } from '../versions/releases.service';
import { deploymentNotFound } from '../secrets/deployment-errors';
import { DeploymentsRepository } from './deployments.repository';

/** The versions that a deployment can run. */
@Injectable()
export class DeploymentVersionsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly deployments: DeploymentsRepository,
    private readonly releases: ReleasesService,
  ) {}

  async list(
    principal: Principal,
    id: number,
    query: QueryOf<'listDeploymentVersions'>,
  ): Promise<ReplyOf<'listDeploymentVersions'>> {
    const { catalogue } = this.releases;
    const [deployment, choices] = await this.database.transaction(principal.tenantId, async (tx) => [
      await this.deployments.find(tx, id),
      await this.releases.choices(tx),
    ]);
    if (!deployment) throw deploymentNotFound();
    const rows = choices.map((release) => ({
      releaseChannelVersion: catalogue.reference(release.version),
      ...release,
      isLatestInChannel: catalogue.isHead(release),
      isCurrent: release.releaseChannel === deployment.releaseChannel && release.version === deployment.version,
    }));
    const page = await keysetList(query, inMemoryList(rows, { name: 'versions', filters: { id }, positionOf }));
    return { ...page, data: page.items };
  }
}

/** Newest first. */
const positionOf = ({ version, releaseChannel }: Schemas['DeploymentVersion']): CursorPosition => [
  ...version.split('.').map((part) => -Number(part)),
  releaseChannel,
];
