import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { DataModelsService } from '../../provisioning';
import { type Branch, BranchRefs, BranchResolution, type DataModel, isBlank } from '../../data-models';
import { trustOf } from '../compiler/code-owner';
import type { CompileResult } from '../compiler/compile-result';
import { CompilerUnavailable } from '../compiler/compiler-crash';
import { DataModelCompiler } from './data-model-compiler';
import { toContractError } from './model-errors';

@Injectable()
export class ValidationService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly models: DataModelsService,
    private readonly resolution: BranchResolution,
    private readonly refs: BranchRefs,
    private readonly compiler: DataModelCompiler,
  ) {}

  /** An invalid model is an answer, not an error. */
  async validate(
    principal: Principal,
    deploymentId: number,
    query: QueryOf<'validateDataModel'>,
  ): Promise<ReplyOf<'validateDataModel'>> {
    if (query.devMode && !isBlank(query.branchName)) {
      throw invalidRequest('/query/devMode', 'cannot be combined with branchName');
    }
    const model = await this.models.open(principal.tenantId, deploymentId);
    const branch = await this.database.transaction(principal.tenantId, (tx) =>
      query.devMode
        ? this.openedBranch(tx, principal, deploymentId)
        : this.resolution.resolveShared(tx, deploymentId, query),
    );
    const { valid, cubesCount, errors } = await this.compile(model, branch);
    return {
      deploymentId,
      branchName: branch.name,
      mode: branch.kind === 'deploy' ? 'production' : 'dev_mode',
      valid,
      cubesCount: valid ? cubesCount : null,
      errors: errors.map(toContractError),
    };
  }

  private async compile(model: DataModel, branch: Branch): Promise<CompileResult> {
    const commit = await this.refs.headOf(model, branch);
    try {
      return await this.compiler.compile(model, commit, trustOf(branch));
    } catch (error) {
      if (!(error instanceof CompilerUnavailable)) throw error;
      throw new AppError('service.unavailable', `${error.message}; try again`, { cause: error });
    }
  }

  private async openedBranch(tx: Transaction, principal: Principal, deploymentId: number): Promise<Branch> {
    const branch = await this.resolution.opened(tx, principal, deploymentId);
    if (!branch) throw invalidRequest('/query/devMode', 'needs an open dev-mode session; enter dev mode first');
    return branch;
  }
}
