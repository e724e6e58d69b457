import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { ReplyOf, Schemas } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import type { ObjectId } from '@plinth/git';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { ModelMembersService, trustOf } from '../../compilation';
import type { Branch, DataModel } from '../../data-models';

/** Refuses data models that would break what people have made of them. */
@Injectable()
export class ContentCheckService {
  constructor(
    @Inject(BUS) private readonly bus: Bus,
    private readonly members: ModelMembersService,
  ) {}

  /**
   * Looks at the commit that a merge of the branch makes.
   *
   * @throws AppError `merge.breaks_content` (409) that names the content, `data_model.invalid` (409) with the errors.
   */
  async requireIntact(principal: Principal, model: DataModel, source: Branch, commit: ObjectId): Promise<void> {
    const { deploymentId } = model.settings;
    // The code of the branch runs, which counts for its owner alone until it is merged.
    const cubes = await this.members.ofCommit(model, commit, trustOf(source));
    const call = { principal, path: { deploymentId }, query: {}, body: { cubes } };
    const report = await this.bus.call('findBrokenContent', call);
    if (report.items.length + report.unnamed > 0) throw breaksContent(report);
  }
}

function breaksContent({ items, unnamed }: ReplyOf<'findBrokenContent'>): AppError {
  const more = { path: '', message: `${unnamed} more, among them those that you may not read` };
  return new AppError('merge.breaks_content', `The merge would break ${items.length + unnamed} reports and widgets`, {
    details: [...items.map(detailOf), ...(unnamed > 0 ? [more] : [])],
  });
}

/** The path leads from the root folder to the report, or by its workbook to the widget. */
function detailOf(item: Schemas['BrokenContent']): { path: string; message: string } {
  const { folderPath, name, dashboard, widgetId, missingMembers, missingReportId, user } = item;
  const place = [
    ...folderPath.map((folder) => folder.name),
    name,
    ...(dashboard ? [`${dashboard} dashboard`, widgetId ?? ''] : []),
  ].join('/');
  const missing = missingReportId === null ? missingMembers.join(', ') : `report ${missingReportId}`;
  const owner = user ? `, owned by ${user.email}` : '';
  return { path: `/${place}`, message: `${item.type} ${item.id}${owner}, misses ${missing}` };
}
