import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { branchRef, type ObjectId } from '@plinth/git';
import { DataModelsService } from '../../provisioning';
import {
  authorOf,
  type Branch,
  BranchRefs,
  BranchResolution,
  type BranchWrite,
  type DataModel,
  requireOwner,
  WriteMetrics,
} from '../../data-models';
import { mergeTrees, type MergeSides } from './three-way-merge';

type PullWrite = BranchWrite<ReplyOf<'pull'>>;

const NOTHING: PullWrite = { updates: [], effects: {}, reply: { buildTriggered: false } };

/** Brings what the parent has gained to a dev branch; a dev branch has no build of its own. */
@Injectable()
export class PullService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly resolution: BranchResolution,
    private readonly refs: BranchRefs,
    private readonly models: DataModelsService,
    private readonly metrics: WriteMetrics,
  ) {}

  async pull(principal: Principal, deploymentId: number, body: BodyOf<'pull'>): Promise<ReplyOf<'pull'>> {
    const plan = async (model: DataModel): Promise<PullWrite> => {
      const [branch, parent] = await this.branches(principal, deploymentId, body?.branchName);
      if (!parent) return NOTHING;
      const sides = { ours: await this.refs.headOf(model, branch), theirs: await this.refs.headOf(model, parent) };
      const pulled = await pulledHead(principal, model, sides, parent.name);
      if (pulled === sides.ours) return NOTHING;
      return { ...NOTHING, updates: [{ ref: branchRef(branch.name), oldOid: sides.ours, newOid: pulled }] };
    };
    return this.metrics.observe('pull', () => this.models.write(principal, deploymentId, plan));
  }

  /** The branch, and its parent when it is a dev branch. */
  private async branches(
    principal: Principal,
    deploymentId: number,
    branchName: string | null | undefined,
  ): Promise<[Branch, Branch | undefined]> {
    return this.database.transaction(principal.tenantId, async (tx) => {
      const branch = await this.resolution.resolve(tx, principal, deploymentId, { branchName });
      if (branch.kind !== 'dev') return [branch, undefined];
      requireOwner(principal, branch);
      return [branch, await this.resolution.resolveShared(tx, deploymentId, { branchId: branch.parentId })];
    });
  }
}

async function pulledHead(
  principal: Principal,
  { git }: DataModel,
  { ours, theirs }: MergeSides,
  parentName: string,
): Promise<ObjectId> {
  const base = await git.mergeBase(ours, theirs);
  if (base === theirs) return ours;
  if (base === ours) return theirs;
  const tree = await mergeTrees(git, { ours, theirs });
  const author = authorOf(principal);
  return git.commitTree({ tree, parents: [ours, theirs], author, message: `Merge branch ${parentName}` });
}
