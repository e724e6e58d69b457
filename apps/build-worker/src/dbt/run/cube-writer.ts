import { Injectable } from '@nestjs/common';
import { planFiles, outputFolder, type Conversion, type ConversionOptions, type GeneratedFile } from '@plinth/dbt';
import type { BareRepository, ObjectId } from '@plinth/git';
import { Inject } from '@nestjs/common';
import { Database } from '@plinth/database';
import { BranchesRepository, BranchRefs, type DataModel, unknownBranch } from '../../data-models';
import type { ClaimedSync } from '../syncs/dbt-syncs.repository';

/** The generated data model, which no branch holds yet. */
export interface Written {
  commit: ObjectId;
  /** Where the deploy branch was. */
  base: ObjectId;
}

/** Puts generated files on top of the deploy branch, as a commit that nobody sees. */
@Injectable()
export class CubeWriter {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly branches: BranchesRepository,
    private readonly refs: BranchRefs,
  ) {}

  /** @throws AppError `storage.quota_exceeded` (507), `branch.not_found` (404) */
  async write(
    model: DataModel,
    sync: ClaimedSync,
    conversion: Conversion,
    options: Pick<ConversionOptions, 'outputPath'>,
  ): Promise<Written> {
    const { git, settings } = model;
    const base = await this.deployHead(model);
    const root = settings.deployProjectRoot === '' ? '' : `${settings.deployProjectRoot}/`;
    const existing = await filesBelow(git, base, root, outputFolder(options.outputPath));
    const plan = planFiles(conversion, existing, options);
    const { commit } = await git.prepareCommit({
      expectedHead: base,
      changes: [
        ...plan.delete.map((path) => ({ kind: 'delete', path: root + path }) as const),
        ...plan.write.map(({ path, content }) => ({ kind: 'put', path: root + path, content }) as const),
      ],
      message: `Synchronise ${conversion.cubes} cubes with dbt`,
      author: { name: sync.authorName, email: sync.authorEmail, at: new Date() },
    });
    return { commit, base };
  }

  private async deployHead(model: DataModel): Promise<ObjectId> {
    const { tenantId, deploymentId } = model.settings;
    const branch = await this.database.transaction(tenantId, (tx) => this.branches.findDeployBranch(tx, deploymentId));
    if (!branch) throw unknownBranch('to deploy');
    return this.refs.headOf(model, branch);
  }
}

async function filesBelow(
  git: BareRepository,
  commit: ObjectId,
  root: string,
  folder: string,
): Promise<GeneratedFile[]> {
  const entries = await git.readTree(commit, { prefix: root + folder });
  const files: GeneratedFile[] = [];
  for await (const blob of git.readBlobs(entries.map(({ oid }) => oid))) {
    files.push({ path: entries[files.length]?.path.slice(root.length) ?? '', content: blob.toString() });
  }
  return files;
}
