import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import type { ByteStream } from '@plinth/messaging';
import { ContentRights, ContentTree, type Viewer } from '../content';
import { readArchive } from './archive-reader';
import type { DeclaredContent } from './declared';
import { declaredIn } from './declared-content';
import { checkPlan } from './import-checks';
import { planOf } from './import-plan';
import { applySteps } from './import-step';
import { ImportWrites } from './import-writes.service';
import { Matches } from './matches';
import { ImportProblems } from './problems';
import { StoredContentRepository } from './stored-content.repository';

type Imported = ReplyOf<'importWorkspace'>;

/** Ends the transaction of a dry run; what it would have done is told. */
class DryRun extends Error {
  constructor(readonly imported: Imported) {
    super('The dry run is over');
  }
}

/** Makes the content of a deployment be as files say. */
@Injectable()
export class ImportService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly tree: ContentTree,
    private readonly content: StoredContentRepository,
    private readonly writes: ImportWrites,
  ) {}

  async import(
    principal: Principal,
    deploymentId: number,
    { dryRun = false, prune = false }: QueryOf<'importWorkspace'>,
    upload: ByteStream,
  ): Promise<Imported> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    const problems = new ImportProblems();
    const declared = await declaredIn(await readArchive(upload, problems), problems);
    problems.refuseAny();
    const run = (tx: Transaction): Promise<Imported> => this.apply(tx, principal, viewer, declared, prune);
    if (!dryRun) return this.database.mutate(principal, run);
    return this.database
      .transaction(principal.tenantId, async (tx): Promise<Imported> => {
        throw new DryRun(await run(tx));
      })
      .catch((error: unknown) => {
        if (error instanceof DryRun) return withoutNewIds(error.imported);
        throw error;
      });
  }

  /** Nobody else puts anything into the tree or takes it out meanwhile. */
  private async apply(
    tx: Transaction,
    principal: Principal,
    viewer: Viewer,
    declared: DeclaredContent,
    prune: boolean,
  ): Promise<Imported> {
    await this.tree.hold(tx, viewer, 'alone');
    const tree = await this.content.tree(tx, viewer);
    const matches = new Matches(tree, declared);
    const details = await this.content.details(tx, [...matches.found]);
    const plan = planOf(declared, matches, { tree, details }, prune);
    const problems = new ImportProblems();
    checkPlan(plan, matches, await this.content.holders(tx, viewer.deploymentId, declared), problems);
    problems.refuseAny();
    return { applied: true, changes: await applySteps(this.writes.stepsOf(plan, { tx, principal, viewer, matches })) };
  }
}

const withoutNewIds = ({ changes }: Imported): Imported => ({
  applied: false,
  changes: changes.map((change) => (change.action === 'CREATE' ? { ...change, id: null } : change)),
});
