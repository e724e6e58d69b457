import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { DataModelsService } from '../../provisioning';
import { SyncFailure } from '../syncs/sync-outcome';
import { DbtRepository } from './dbt-repository';
import type { DbtSource } from './dbt-source.entity';
import { DbtSourcesRepository } from './dbt-sources.repository';
import { notConnected } from './dbt-sources.service';
import { requireProject } from './project-file';
import { PROJECT_LIMITS } from './project-limits';
import { SourceAccess } from './source-access';

type Outcome = ReplyOf<'testDbtSource'>;

const NOTHING = { success: false, branch: null, commit: null, projectName: null };

/** Looks whether a run would find a dbt project. */
@Injectable()
export class SourceTestService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly models: DataModelsService,
    private readonly sources: DbtSourcesRepository,
    private readonly access: SourceAccess,
    private readonly repository: DbtRepository,
  ) {}

  async test(principal: Principal, deploymentId: number): Promise<Outcome> {
    const model = await this.models.open(principal.tenantId, deploymentId);
    const source = await this.database.transaction(principal.tenantId, (tx) => this.sources.find(tx, deploymentId));
    if (!source) throw notConnected();
    const outcome = await this.outcome(model, source);
    return this.database.mutate(principal, async () => outcome);
  }

  /** A connection that does not work is an answer. */
  private async outcome(model: Parameters<DbtRepository['read']>[0], source: DbtSource): Promise<Outcome> {
    try {
      const { branch, projectPath } = source.settings;
      const place = { ref: branch, folder: projectPath };
      const project = await this.repository.read(model, await this.access.accessOf(source), place, PROJECT_LIMITS);
      const { name } = requireProject(project.files);
      const found = { branch: project.ref.replace(/^refs\/(heads|tags)\//, ''), commit: project.commit };
      return { success: true, message: `The project ${name} was found`, ...found, projectName: name };
    } catch (error) {
      const isAnswer = error instanceof SyncFailure || (error instanceof AppError && error.code.startsWith('remote.'));
      if (isAnswer) return { ...NOTHING, message: error.message };
      throw error;
    }
  }
}
