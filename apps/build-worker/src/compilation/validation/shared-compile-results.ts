import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@plinth/database';
import { LOGGER } from '@plinth/host';
import type { Logger } from '@plinth/observability';
import { ownerKey, type CodeOwner } from '../compiler/code-owner';
import type { CompileResult } from '../compiler/compile-result';
import { CompileResultsRepository } from './compile-results.repository';

/** Bytes of a result: one that large is made of errors, and soon replaced. */
const MAX_BYTES = 256 << 10;

/** What a compilation depends on. */
export interface CompileInput {
  /** Whose code it runs, which may have forged the result. */
  owner: CodeOwner;
  /** Everything else, such as the tree and the compiler. */
  parts: readonly string[];
}

/**
 * Results that all build workers share. Each belongs to one owner: what another one's code made of the same tree is never
 * believed. It is a convenience, so a database that fails costs a compilation and nothing else.
 */
@Injectable()
export class SharedCompileResults {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly results: CompileResultsRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async find({ owner, parts }: CompileInput): Promise<CompileResult | undefined> {
    const found = this.database.transaction(owner.tenantId, (tx) =>
      this.results.find(tx, owner.deploymentId, keyOf(owner, parts)),
    );
    return found.catch((error: unknown) => this.fail(error));
  }

  /** Keeps a result, unless the compilation was aborted or the result is too large. */
  async keep({ owner, parts }: CompileInput, compiled: CompileResult): Promise<void> {
    const { tenantId, deploymentId } = owner;
    const result = JSON.stringify(compiled);
    if (compiled.aborted || Buffer.byteLength(result) > MAX_BYTES) return;
    const row = { tenantId, deploymentId, key: keyOf(owner, parts), result };
    const kept = this.database.transaction(tenantId, (tx) => this.results.save(tx, row));
    await kept.catch((error: unknown) => this.fail(error));
  }

  private fail(error: unknown): undefined {
    this.logger.warn({ err: error }, 'the shared results of compilations are out of reach');
    return undefined;
  }
}

function keyOf(owner: CodeOwner, parts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([ownerKey(owner), parts]))
    .digest('base64url');
}
