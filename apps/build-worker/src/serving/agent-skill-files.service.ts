import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database } from '@plinth/database';
import type { BareRepository, TreeFile } from '@plinth/git';
import { BranchesRepository, BranchRefs, BranchResolution, type DataModel } from '../data-models';
import { DataModelsService } from '../provisioning';
import { ServedModelsService } from './served-models.service';

type SkillFile = Schemas['AgentSkillFile'];

const FOLDER = 'agents/skills';
const ENDING = '.md';
const MOST_LISTED = 200;
const MOST_READ = 100;
const MOST_BYTES = 32 << 10;

/** What the data model teaches agents. */
@Injectable()
export class AgentSkillFilesService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly models: DataModelsService,
    private readonly branches: BranchesRepository,
    private readonly resolution: BranchResolution,
    private readonly refs: BranchRefs,
    private readonly served: ServedModelsService,
  ) {}

  /** @throws AppError `deployment.not_found`, `branch.not_found` (404) */
  async read(
    principal: Principal,
    { deploymentId, branchName }: BodyOf<'readAgentSkills'>,
  ): Promise<ReplyOf<'readAgentSkills'>> {
    const model = await this.models.open(principal.tenantId, deploymentId);
    const commit = await this.commitOf(principal, model, branchName);
    const { deployProjectRoot: root } = model.settings;
    const prefix = root === '' ? FOLDER : `${root}/${FOLDER}`;
    const found = (await model.git.readTree(commit, { prefix })).filter((file) => isSkill(file, prefix));
    const listed = found.sort((left, right) => (left.path < right.path ? -1 : 1)).slice(0, MOST_LISTED);
    return { files: await Promise.all(listed.map((file, index) => fileOf(model.git, file, index))) };
  }

  private async commitOf(principal: Principal, model: DataModel, branchName: string | null): Promise<string> {
    const { deploymentId } = model.settings;
    const branch = await this.database.transaction(principal.tenantId, (tx) =>
      this.resolution.resolveShared(tx, deploymentId, { branchName }),
    );
    const { commitHash } = await this.served.describe(principal, { deploymentId, branchName: branch.name });
    return commitHash ?? this.refs.headOf(model, branch);
  }
}

/** Links and folders within are none. */
const isSkill = ({ path, mode }: TreeFile, prefix: string): boolean =>
  mode.startsWith('100') && path.endsWith(ENDING) && !path.slice(prefix.length + 1).includes('/');

async function fileOf(git: BareRepository, { path, oid }: TreeFile, index: number): Promise<SkillFile> {
  const name = basename(path, ENDING);
  const unread = (problem: SkillFile['problem']): SkillFile => ({ name, content: null, problem });
  if (index >= MOST_READ) return unread('too_many');
  if ((await git.blobSize(oid)) > MOST_BYTES) return unread('too_large');
  const content = await git.readBlob(oid);
  return isUtf8(content) ? { name, content: content.toString('utf8'), problem: null } : unread('not_text');
}
