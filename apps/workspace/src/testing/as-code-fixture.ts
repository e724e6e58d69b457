import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import type { AppError } from '@plinth/errors';
import { archiveOf } from './archives';
import { startWorkspace, type transports, type WorkspaceFixture } from './workspace-fixture';

type Files = Record<string, string>;
type Query = QueryOf<'importWorkspace'>;
type Imported = ReplyOf<'importWorkspace'>;

export const manifest: Files = { 'plinth.yaml': 'version: 1\n' };
export const report = (publicId: string, name = 'Report'): string => `name: ${name}\npublicId: ${publicId}\n`;

/** Each change of an import as one text. */
export const summary = ({ changes }: Imported): string[] =>
  changes.map(({ action, type, name, fields }) => [action, type, name, ...fields].join(' '));

export async function* chunked(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 65_536) yield bytes.subarray(start, start + 65_536);
}

/** Content of one deployment at a time, made by the operations, and its archives. */
export class AsCode {
  private tenant!: ReturnType<WorkspaceFixture['newTenant']>;
  private publicIds = 0;

  constructor(readonly service: WorkspaceFixture) {}

  /** Goes on in a deployment that has nothing in it. */
  begin(): { admin: Principal; user: Principal & { userId: number }; path: { deploymentId: number } } {
    this.tenant = this.service.newTenant();
    const { tenantId, admin } = this.tenant;
    return { admin, user: this.service.newUser(tenantId), path: this.path };
  }

  stop(): Promise<void> {
    return this.service.stop();
  }

  publicId(): string {
    return `Import${(this.publicIds += 1).toString().padStart(6, '0')}`;
  }

  async folder(name: string, parentId: number | null = null): Promise<number> {
    return (await this.service.call(this.tenant.admin, 'createFolder', { path: this.path, body: { name, parentId } }))
      .id;
  }

  async report(body: NonNullable<BodyOf<'createReport'>> = {}): Promise<{ id: number; publicId: string }> {
    const sent = { publicId: this.publicId(), name: 'Report', ...body };
    const { id, publicId } = await this.service.call(this.tenant.admin, 'createReport', {
      path: this.path,
      body: sent,
    });
    return { id, publicId: publicId ?? '' };
  }

  async workbook(body: NonNullable<BodyOf<'createWorkbook'>>, slug?: string): Promise<number> {
    const { admin } = this.tenant;
    if (slug === undefined) return (await this.service.call(admin, 'createWorkbook', { path: this.path, body })).id;
    return (await this.service.call(admin, 'upsertWorkbookBySlug', { path: { ...this.path, slug }, body })).id;
  }

  /** Something of everything. */
  async furnish(): Promise<{ europe: number; revenue: { id: number; publicId: string }; board: number }> {
    const sales = await this.folder('Sales & Marketing');
    const europe = await this.folder('Europe', sales);
    await this.folder('Empty');
    const jsonQuery = JSON.stringify({ measures: ['orders.count'] });
    const revenue = await this.report({ name: 'Revenue', jsonQuery, folderId: europe });
    await this.report({
      name: 'By hand',
      sqlQuery: 'select 1\n  from "a"\r\n-- %{x}',
      meta: { '1': ['yes', '0x1', 1e3] },
    });
    const chart = { reportId: revenue.id, 'a b': [1, null, { c: '' }] };
    const draft = {
      kind: 'CLASSIC' as const,
      title: 'Ünï: "code" # no comment',
      widgets: [{ id: 'w1', type: 'CHART' as const, position: { x: 0, y: 0, w: 1, h: 1 }, config: chart }],
      settings: { 7: 'seven', x: '0123', y: 'yes' },
    };
    const board = await this.workbook(
      { name: 'Board', folderId: sales, meta: { b: [], dashboardDraft: draft } },
      'board',
    );
    const body = { workbookId: board, title: 'Published' };
    await this.service.call(this.tenant.admin, 'publishDashboard', { path: { ...this.path, workbookId: board }, body });
    await this.report({ name: 'Inside', workbookId: board });
    await this.workbook({ name: 'No slug' });
    return { europe, revenue, board };
  }

  importBytes(bytes: Buffer, query: Query = {}, principal = this.tenant.admin): Promise<Imported> {
    return this.service.call(principal, 'importWorkspace', { path: this.path, query, upload: chunked(bytes) });
  }

  /** Imports files and the manifest. */
  async import(files: Files, query: Query = {}, principal = this.tenant.admin): Promise<Imported> {
    return this.importBytes(await archiveOf({ ...manifest, ...files }), query, principal);
  }

  refusedBytes(bytes: Buffer, query: Query = {}, principal = this.tenant.admin): Promise<AppError> {
    return this.service.error(principal, 'importWorkspace', { path: this.path, query, upload: chunked(bytes) });
  }

  async refused(files: Files, query: Query = {}, principal = this.tenant.admin): Promise<AppError> {
    return this.refusedBytes(await archiveOf({ ...manifest, ...files }), query, principal);
  }

  private get path(): { deploymentId: number } {
    return { deploymentId: this.tenant.deploymentId };
  }
}

export const startAsCode = async (transport?: (typeof transports)[number]): Promise<AsCode> =>
  new AsCode(await startWorkspace(transport));
