import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal, type Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus, StreamReply } from '@plinth/messaging';
import { ContentRights, type Viewer } from '../content';
import { downloadRestricted } from '../data/download-rights';
import { EmbeddedDashboards } from '../embedding/embedded-dashboards.service';
import {
  dashboardNotFound,
  pictureFormats,
  PublishedDashboardsRepository,
  requireControls,
  requireSubject,
  Subjects,
  type DashboardRef,
  type PublishedPlace,
  type Subject,
  type SubjectInput,
} from '../pictures';
import { attachment } from './export-name';
import type { ExportRow } from './export-job';
import { chunkOf, ExportsRepository } from './exports.repository';

type Input = BodyOf<'startExport'>;

/** Accepts exports, and hands out what has become of them. */
@Injectable()
export class ExportsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) private readonly bus: Bus,
    private readonly rights: ContentRights,
    private readonly published: PublishedDashboardsRepository,
    private readonly subjects: Subjects,
    private readonly embedded: EmbeddedDashboards,
    private readonly exports: ExportsRepository,
  ) {}

  /**
   * @throws AppError `request.invalid` (400), `access.denied` and `data.download_restricted` (403),
   *   `dashboard.not_found` and `user.not_found` (404), `export.too_many` (429)
   */
  async start(principal: Principal, deploymentId: number, body: Input): Promise<ReplyOf<'startExport'>> {
    const ref = refIn(body);
    requireControls(body);
    const { renderAs } = body;
    if (renderAs) requireSubject(renderAs, '/body/renderAs');
    if (renderAs && !principal.isAdmin) throw new AppError('access.denied', 'renderAs is for administrators');
    const { tenantId, userId: submittedBy } = principal;
    if (submittedBy === null) throw new AppError('access.denied', 'An export belongs to a user');
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    const place = await this.database.transaction(tenantId, (tx) => this.manageable(tx, viewer, ref));
    await this.requireDownloads(tenantId);
    const subject = renderAs
      ? await this.subjectOf(tenantId, { deploymentId, workbookId: place.workbookId }, renderAs)
      : ({ type: 'USER', userId: submittedBy } as const);
    const { format, filters, timeGrains, memberSwitchers } = body;
    return this.database.mutate(principal, async (tx) => {
      const job = await this.exports.insert(tx, {
        ...{ tenantId, deploymentId, dashboardId: place.id, submittedBy, subject, format },
        controls: {
          filters: filters ?? null,
          timeGrains: timeGrains ?? null,
          memberSwitchers: memberSwitchers ?? null,
        },
      });
      if (!job) throw dashboardNotFound();
      return { jobId: job.id, expiresAt: job.expiresAt.toISOString() };
    });
  }

  /** @throws AppError `export.not_found` (404) */
  async status(principal: Principal, deploymentId: number, jobId: string): Promise<ReplyOf<'getExportStatus'>> {
    const job = await this.database.transaction(principal.tenantId, (tx) =>
      this.job(tx, principal, deploymentId, jobId),
    );
    const { status, progress, format, errorText: error } = job;
    const contentType = status === 'completed' ? pictureFormats[format].contentType : null;
    return { status, progress, contentType, error };
  }

  /** @throws AppError `export.not_found` (404), `export.not_completed` (409), `export.failed` (422) */
  async download(
    principal: Principal,
    { deploymentId, jobId }: { deploymentId: number; jobId: string },
    filename: string | undefined,
  ): Promise<StreamReply> {
    await this.requireDownloads(principal.tenantId);
    // Leaves the line in the audit log.
    const job = await this.database.mutate(principal, async (tx) => {
      const found = await this.job(tx, principal, deploymentId, jobId);
      if (found.status === 'failed') throw new AppError('export.failed', `The export has failed: ${found.errorText}`);
      if (found.status !== 'completed') throw new AppError('export.not_completed', 'The export is not completed yet');
      return found;
    });
    const { contentType } = pictureFormats[job.format];
    const headers = { 'content-type': contentType, 'content-disposition': attachment(filename, job.format) };
    return { headers, stream: this.bytes(principal.tenantId, job) };
  }

  /** Whoever may not see the workbook cannot tell that there is a dashboard. */
  private async manageable(tx: Transaction, viewer: Viewer, ref: DashboardRef): Promise<PublishedPlace> {
    const place = await this.published.find(tx, viewer.deploymentId, ref);
    if (!place) throw dashboardNotFound();
    await this.rights
      .require(tx, viewer, { type: 'WORKBOOK', id: place.workbookId }, 'manage')
      .catch((error: unknown) => {
        throw error instanceof AppError && error.code === 'workbook.not_found' ? dashboardNotFound() : error;
      });
    return place;
  }

  /** An embed user who is not there is provisioned, but not to be refused. */
  private async subjectOf(
    tenantId: number,
    place: { deploymentId: number; workbookId: number },
    input: SubjectInput,
  ): Promise<Subject> {
    const name = input.embedTenantName?.toLowerCase() ?? null;
    const isAllowed =
      input.type === 'USER' ||
      (await this.database.transaction(tenantId, (tx) => this.embedded.isSharedWith(tx, place, name)));
    if (!isAllowed) throw new AppError('dashboard.not_shared', 'The workbook is not shared with the embed tenant');
    return this.subjects.find(tenantId, input);
  }

  private async requireDownloads(tenantId: number): Promise<void> {
    const platform = { userId: null };
    const { isDownloadRestricted } = await this.bus.ask('describeDataCaller', systemPrincipal(tenantId), platform);
    if (isDownloadRestricted) throw downloadRestricted();
  }

  private async job(tx: Transaction, { userId }: Principal, deploymentId: number, id: string): Promise<ExportRow> {
    const job = userId === null ? undefined : await this.exports.findOf(tx, { deploymentId, submittedBy: userId, id });
    if (!job) throw exportNotFound();
    return job;
  }

  /** One chunk at a time, as the client takes them. */
  private async *bytes(tenantId: number, { id, chunks }: ExportRow): AsyncGenerator<Uint8Array> {
    for (let position = 0; position < chunks; position += 1) {
      const [row] = await this.database.read<{ bytes: Buffer }>(tenantId, chunkOf, [id, position]);
      // It has expired meanwhile.
      if (!row) throw exportNotFound();
      yield row.bytes;
    }
  }
}

/** @throws AppError `request.invalid` (400) unless there is exactly one id. */
function refIn({ dashboardId, dashboardPublicId }: Input): DashboardRef {
  if (dashboardId != null && dashboardPublicId == null) return { id: dashboardId };
  if (dashboardPublicId != null && dashboardId == null) return { publicId: dashboardPublicId };
  throw invalidRequest('/body', 'must have exactly one of dashboardId and dashboardPublicId');
}

const exportNotFound = (): AppError => new AppError('export.not_found', 'There is no such export');
