import { Inject, Injectable } from '@nestjs/common';
import { hasAccess, systemPrincipal, type Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import {
  audience,
  ContentNotices,
  ContentRights,
  isEmbedUser,
  ItemsRepository,
  type RankedItem,
  type Viewer,
} from '../content';
import { DashboardsRepository } from '../dashboards/dashboards.repository';
import { Publisher } from '../dashboards/publisher.service';
import { EmbedAudiences } from './embed-audiences.service';
import { EmbeddedDashboardsRepository, type DashboardName, type EmbeddedPlace } from './embedded-dashboards.repository';

/** A dashboard that somebody may see, where it lies. */
interface Seen {
  place: EmbeddedPlace;
  viewer: Viewer;
  workbook: RankedItem;
}

/** Decides who sees which dashboard in a host application (ruling 39). */
@Injectable()
export class EmbeddedDashboards {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) private readonly bus: Bus,
    private readonly rights: ContentRights,
    private readonly items: ItemsRepository,
    private readonly audiences: EmbedAudiences,
    private readonly embedded: EmbeddedDashboardsRepository,
    private readonly dashboards: DashboardsRepository,
    private readonly publisher: Publisher,
    private readonly notices: ContentNotices,
  ) {}

  async describe(
    principal: Principal,
    { publicId }: BodyOf<'describeEmbeddedDashboard'>,
  ): Promise<ReplyOf<'describeEmbeddedDashboard'>> {
    const { id, workbookId, deploymentId, title } = (await this.require(principal, { publicId })).place;
    return { id, publicId, workbookId, deploymentId, title };
  }

  async get(principal: Principal, publicId: string): Promise<ReplyOf<'getDashboard'>> {
    const { place, viewer, workbook } = await this.require(principal, { publicId });
    const platform = systemPrincipal(principal.tenantId);
    const { isDownloadRestricted } = await this.bus.ask('describeDataCaller', platform, { userId: null });
    return this.database.transaction(principal.tenantId, async (tx) => {
      const row = await this.dashboards.find(tx, place.workbookId);
      if (!row) throw notFound();
      return {
        ...(await this.publisher.show(tx, viewer, row)),
        fromSharedWorkspace: viewer.embed !== undefined && workbook.embedOwnerId === null,
        restrictDataDownload: isDownloadRestricted,
      };
    });
  }

  async setAllowEmbed(
    principal: Principal,
    publicId: string,
    { allowEmbed }: BodyOf<'updateDashboardEmbedding'>,
  ): Promise<ReplyOf<'updateDashboardEmbedding'>> {
    const { place, viewer } = await this.require(principal, { publicId });
    return this.database.mutate(principal, async (tx) => {
      await this.rights.require(tx, viewer, { type: 'WORKBOOK', id: place.workbookId }, 'manage', true);
      await this.dashboards.setAllowEmbed(tx, place.id, allowEmbed);
      this.notices.announce(tx);
      return { publicId, allowEmbed };
    });
  }

  /**
   * @throws AppError `dashboard.not_found` (404) also for one that the caller may not see, `dashboard.not_embeddable` (403)
   *   for a session when signed embedding is off, `embedding.off` (403)
   */
  async require(principal: Principal, name: DashboardName): Promise<Seen> {
    if (!principal.embed) await this.audiences.find(principal.tenantId, null);
    const place = await this.database.transaction(principal.tenantId, (tx) => this.embedded.find(tx, name));
    if (!place || !opens(principal, place)) throw notFound();
    const viewer = await this.rights.audienceOf(principal, place.deploymentId);
    return this.database.transaction(principal.tenantId, async (tx) => {
      const workbook = await this.items.findFor(tx, viewer, 'WORKBOOK', place.workbookId, false);
      if (!workbook?.visible) throw notFound();
      if (!isEmbeddable(principal, place) && !(await this.isSharedWith(tx, place, null))) throw notEmbeddable();
      return { place, viewer, workbook };
    });
  }

  /** Whether an embed tenant, or with null everybody who is embedded, reads a workbook. */
  async isSharedWith(
    tx: Transaction,
    { deploymentId, workbookId }: Pick<EmbeddedPlace, 'deploymentId' | 'workbookId'>,
    embedTenantName: string | null,
  ): Promise<boolean> {
    const viewer = audience(tx.tenantId as number, deploymentId, embedTenantName);
    return (await this.items.findFor(tx, viewer, 'WORKBOOK', workbookId, false))?.visible ?? false;
  }
}

const opens = (principal: Principal, { deploymentId, publicId }: EmbeddedPlace): boolean =>
  (principal.embed?.publicDashboardId ?? publicId) === publicId &&
  (isEmbedUser(principal)
    ? principal.embed.deploymentId === deploymentId
    : hasAccess(principal, 'DeploymentRead', deploymentId));

/** The switch is for sessions of signed embedding, not for those in creator mode nor for other credentials. */
const isEmbeddable = ({ embed }: Principal, { allowEmbed }: EmbeddedPlace): boolean =>
  allowEmbed || !embed || embed.isCreator;

const notFound = (): AppError => new AppError('dashboard.not_found', 'There is no such dashboard');

const notEmbeddable = (): AppError =>
  new AppError('dashboard.not_embeddable', 'The dashboard may not be embedded: its allowEmbed is off');
