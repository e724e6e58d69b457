import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf } from '@plinth/contract';
import type { Transaction } from '@plinth/database';
import { ContentRights, ContentTree, ItemsRepository, ownedBy, type ItemRef, type Viewer } from '../content';
import type { DashboardConfig } from '../dashboards/dashboard-config';
import { DraftsRepository } from '../dashboards/drafts.repository';
import { Publisher } from '../dashboards/publisher.service';
import { ReportWrites } from '../reports';
import { WorkbooksRepository } from '../workbooks/workbooks.repository';
import type { DeclaredFolder, DeclaredReport, DeclaredWorkbook } from './declared';
import { isChange, type ImportPlan, type Planned } from './import-plan';
import type { ImportStep } from './import-step';
import type { Matches } from './matches';
import { withReportIds } from './written-content';

/** An import that is under way. */
interface Run {
  tx: Transaction;
  principal: Principal;
  viewer: Viewer;
  matches: Matches;
  /** Folders and workbooks by their directories, and reports by their public ids, as soon as they are there. */
  places: Map<string, ItemRef>;
  reportIds: Map<string, number>;
}

/** Turns the plan of an import into steps, in the order in which they can be done. */
@Injectable()
export class ImportWrites {
  constructor(
    private readonly rights: ContentRights,
    private readonly items: ItemsRepository,
    private readonly tree: ContentTree,
    private readonly workbooks: WorkbooksRepository,
    private readonly drafts: DraftsRepository,
    private readonly publisher: Publisher,
    private readonly reports: ReportWrites,
  ) {}

  stepsOf(plan: ImportPlan, context: Pick<Run, 'tx' | 'principal' | 'viewer' | 'matches'>): ImportStep[] {
    const run: Run = { ...context, places: new Map(), reportIds: new Map() };
    for (const { declared, stored } of [...plan.folders, ...plan.workbooks])
      if (stored) run.places.set(declared.directory, stored);
    return [
      ...plan.folders.filter(isChange).map((each) => stepOf('FOLDER', each, () => this.folder(run, each))),
      ...plan.workbooks.filter(isChange).map((each) => ({
        ...stepOf('WORKBOOK', each, () => this.workbook(run, each)),
        // Charts name reports, so these come first.
        finish: () => this.dashboards(run, each),
      })),
      ...plan.reports.filter(isChange).map((each) => stepOf('REPORT', each, () => this.report(run, each))),
      ...plan.deleted.map(({ type, name, id }) => ({
        change: { action: 'DELETE' as const, type, file: null, name, id, fields: [] },
        apply: () => this.tree.remove(run.tx, run.viewer, { type, id }).then(() => id),
      })),
    ];
  }

  private async folder(run: Run, { declared, stored }: Planned<DeclaredFolder>): Promise<number> {
    const { tx, viewer } = run;
    const { name, position, directory } = declared;
    if (stored) {
      await this.items.update(tx, stored.id, { position, updatedBy: viewer.userId });
      return stored.id;
    }
    const place = await this.tree.placeFolder(tx, viewer, parentOf(run, declared)?.id ?? null);
    const item = await this.items.insert(tx, { ...owned(viewer), type: 'FOLDER', name, position, ...place });
    run.places.set(directory, item);
    return item.id;
  }

  private async workbook(run: Run, { declared, stored, fields }: Planned<DeclaredWorkbook>): Promise<number> {
    const { tx, viewer } = run;
    const { name, slug, meta, directory } = declared;
    const parent = parentOf(run, declared);
    if (!stored) {
      const place = await this.tree.place(tx, viewer, parent);
      const item = await this.items.insert(tx, { ...owned(viewer), type: 'WORKBOOK', name, ...place });
      await this.workbooks.insert(tx, item, { slug, meta, calculatedFields: {}, dashboardDraft: null });
      run.places.set(directory, item);
      return item.id;
    }
    if (fields.includes('place')) await this.tree.move(tx, viewer, stored, parent);
    await this.items.update(tx, stored.id, { name, updatedBy: viewer.userId });
    if (fields.includes('meta')) await this.workbooks.setMeta(tx, stored.id, meta);
    return stored.id;
  }

  private async report(run: Run, { declared, stored, fields }: Planned<DeclaredReport>): Promise<number> {
    const { tx, principal, viewer } = run;
    const { name, publicId, title, source, jsonQuery, sqlQuery, meta, pivotItems } = declared;
    const definition = { name, title, jsonQuery, sqlQuery, meta, pivotItems };
    const parent = parentOf(run, declared);
    const place = { [parent?.type === 'WORKBOOK' ? 'workbookId' : 'folderId']: parent?.id ?? null };
    if (stored) {
      const item = await this.rights.require(tx, viewer, { type: 'REPORT', id: stored.id }, 'edit', true);
      const body = { ...definition, ...(fields.includes('place') && place) } as NonNullable<BodyOf<'updateReport'>>;
      await this.reports.update(tx, principal, viewer, item, body);
      return stored.id;
    }
    const body = { ...definition, publicId, source, ...place } as NonNullable<BodyOf<'createReport'>>;
    const { id } = await this.reports.create(tx, principal, viewer, body);
    run.reportIds.set(publicId, id);
    return id;
  }

  private async dashboards(run: Run, { declared, stored, fields }: Planned<DeclaredWorkbook>): Promise<void> {
    const { tx, viewer } = run;
    const { draft, published, directory } = declared;
    const isOther = (field: string): boolean => !stored || fields.includes(field);
    const { id } = run.places.get(directory) as ItemRef;
    if (isOther('dashboardDraft')) await this.drafts.save(tx, id, draft && withIds(run, draft.config));
    if (!published || !isOther('dashboardPublished')) return;
    const { title, description } = published;
    const config = withIds(run, published.config);
    const reports = await this.publisher.freeze(tx, viewer, config, '');
    await this.publisher.publish(tx, { ...owned(viewer), id }, { title, description, config, reports }, viewer);
  }
}

function stepOf(
  type: ImportStep['change']['type'],
  { declared: { file, name }, stored, fields }: Planned<{ file: string; name: string }>,
  apply: () => Promise<number>,
): ImportStep {
  const action = stored ? 'UPDATE' : 'CREATE';
  return { change: { action, type, file, name, id: stored?.id ?? null, fields }, apply };
}

const owned = (viewer: Viewer) => {
  const { tenantId, deploymentId } = viewer;
  return { tenantId, deploymentId, ...ownedBy(viewer) };
};

/** Null for the root. */
const parentOf = ({ places }: Run, { parent }: { parent: string }): ItemRef | null => places.get(parent) ?? null;

const withIds = ({ reportIds, matches }: Run, config: DashboardConfig): DashboardConfig =>
  withReportIds(config, (id) => (typeof id === 'string' ? (reportIds.get(id) ?? matches.report(id)?.id) : undefined));
