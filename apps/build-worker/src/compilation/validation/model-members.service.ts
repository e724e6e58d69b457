import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import type { ObjectId } from '@plinth/git';
import { DataModelsService } from '../../provisioning';
import { BranchRefs, BranchResolution, type DataModel } from '../../data-models';
import { trustOf, type CodeOwner } from '../compiler/code-owner';
import type { CompileResult, CubeMembers, ModelError } from '../compiler/compile-result';
import { CompilerUnavailable } from '../compiler/compiler-crash';
import { DataModelCompiler } from './data-model-compiler';
import { toContractError } from './model-errors';

/** Errors of a model that one refusal names. */
const MAX_DETAILS = 20;

/** Tells what queries can name in a data model. */
@Injectable()
export class ModelMembersService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly models: DataModelsService,
    private readonly resolution: BranchResolution,
    private readonly refs: BranchRefs,
    private readonly compiler: DataModelCompiler,
  ) {}

  /** Of the named branch, otherwise of the deploy branch. */
  async ofBranch(
    { tenantId }: Principal,
    { deploymentId, branchName }: BodyOf<'describeModelMembers'>,
  ): Promise<ReplyOf<'describeModelMembers'>> {
    const model = await this.models.open(tenantId, deploymentId);
    const branch = await this.database.transaction(tenantId, (tx) =>
      this.resolution.resolveShared(tx, deploymentId, { branchName }),
    );
    const cubes = await this.ofCommit(model, await this.refs.headOf(model, branch), trustOf(branch));
    return { branchName: branch.name, cubes };
  }

  /**
   * @throws AppError `data_model.invalid` (409) with what is wrong, `data_model.too_large` (409),
   *   `service.unavailable` (503) when the compiler is at fault.
   */
  async ofCommit(model: DataModel, commit: ObjectId, trust: CodeOwner['trust']): Promise<CubeMembers[]> {
    const { valid, errors, members } = await this.describe(model, commit, trust);
    if (!valid) throw modelInvalid(errors);
    if (members) return members;
    throw new AppError('data_model.too_large', 'The data model has more members than can be checked');
  }

  private async describe(model: DataModel, commit: ObjectId, trust: CodeOwner['trust']): Promise<CompileResult> {
    try {
      return await this.compiler.describe(model, commit, trust);
    } catch (error) {
      if (!(error instanceof CompilerUnavailable)) throw error;
      throw new AppError('service.unavailable', `${error.message}; try again`, { cause: error });
    }
  }
}

function modelInvalid(errors: readonly ModelError[]): AppError {
  const details = errors
    .slice(0, MAX_DETAILS)
    .map(toContractError)
    .map(({ fileName, message }) => ({ path: fileName ?? '', message }));
  return new AppError('data_model.invalid', `The data model does not compile: ${errors.length} errors`, { details });
}
