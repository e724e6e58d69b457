import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal, type Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { Database, keysetList } from '@plinth/database';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { ContentRights, type Viewer } from '../content';
import { BrokenContent, type Found } from './broken-content.service';
import { ModelIndex } from './model-index';
import { ScannedContentRepository } from './scanned-content.repository';

/** Broken things that the refusal of a merge names. */
const MAX_NAMED = 100;

/** Holds the content of a deployment against a data model. */
@Injectable()
export class ValidationService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) private readonly bus: Bus,
    private readonly rights: ContentRights,
    private readonly broken: BrokenContent,
    private readonly content: ScannedContentRepository,
  ) {}

  async validate(
    principal: Principal,
    deploymentId: number,
    query: QueryOf<'validateWorkspace'>,
  ): Promise<ReplyOf<'validateWorkspace'>> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    const { branchName, cubes } = await this.bus.ask('describeModelMembers', systemPrincipal(viewer.tenantId), {
      deploymentId,
      ...(query.branchName !== undefined && { branchName: query.branchName }),
    });
    const model = new ModelIndex(cubes);
    const { items, pageInfo } = await keysetList(query, {
      name: 'workspace-validation',
      filters: { deploymentId, branchName },
      positionOf: ({ item, place }: Found): [number, number] => [item.id, place],
      read: (limit, [itemId, place]) => this.read(viewer, model, { limit, itemId, place }),
    });
    const uncheckedReports = await this.database.transaction(viewer.tenantId, (tx) =>
      this.content.countUnchecked(tx, viewer),
    );
    return { branchName, items: await this.broken.describe(viewer, items), pageInfo, uncheckedReports };
  }

  /** Looks at everything, and names what the caller may read. */
  async findBroken(
    principal: Principal,
    deploymentId: number,
    { cubes }: BodyOf<'findBrokenContent'>,
  ): Promise<ReplyOf<'findBrokenContent'>> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    const named: Found[] = [];
    let unnamed = 0;
    for await (const found of this.broken.find(viewer, new ModelIndex(cubes), { unreadable: true })) {
      if (found.item.rank > 0 && named.length < MAX_NAMED) named.push(found);
      else unnamed += 1;
    }
    return { items: await this.broken.describe(viewer, named), unnamed };
  }

  private async read(
    viewer: Viewer,
    model: ModelIndex,
    { limit, itemId = 0, place = -1 }: { limit: number; itemId?: number | undefined; place?: number | undefined },
  ): Promise<Found[]> {
    const page: Found[] = [];
    for await (const found of this.broken.find(viewer, model, { from: itemId })) {
      if (found.item.id === itemId && found.place <= place) continue;
      page.push(found);
      if (page.length === limit) break;
    }
    return page;
  }
}
