import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@plinth/database';
import { LOGGER } from '@plinth/host';
import type { Logger } from '@plinth/observability';
import { ownerKey, type CodeOwner } from '../compiler/code-owner';
import { transpiled as transpiledSchema } from '../compiler/child-messages';
import { type CompileResult, MAX_TRANSPILED_BYTES, type Transpiled } from '../compiler/compile-result';
import { CompileResultsRepository } from './compile-results.repository';

/** Bytes of a result: one that large is made of errors, and soon replaced. */
const MAX_BYTES = 256 << 10;
/** Bytes of what was transpiled, compressed. */
const MAX_COMPRESSED = 2 << 20;

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

  /** What was transpiled with a result, if it is still kept. */
  async findTranspiled({ owner, parts }: CompileInput): Promise<Transpiled> {
    try {
      const compressed = await this.database.transaction(owner.tenantId, (tx) =>
        this.results.findTranspiled(tx, owner.deploymentId, keyOf(owner, parts)),
      );
      return compressed ? await decompressed(compressed) : [];
    } catch (error) {
      return this.fail(error) ?? [];
    }
  }

  /** Keeps a result, unless the compilation was aborted or the result is too large. */
  async keep({ owner, parts }: CompileInput, compiled: CompileResult): Promise<void> {
    const { tenantId, deploymentId } = owner;
    const { transpiled = [], ...alone } = compiled;
    const result = JSON.stringify(alone);
    if (compiled.aborted || Buffer.byteLength(result) > MAX_BYTES) return;
    const key = keyOf(owner, parts);
    const kept = compressedOf(transpiled).then((code) =>
      this.database.transaction(tenantId, (tx) =>
        this.results.save(tx, { tenantId, deploymentId, key, result, transpiled: code }),
      ),
    );
    await kept.catch((error: unknown) => this.fail(error));
  }

  private fail(error: unknown): undefined {
    this.logger.warn({ err: error }, 'the shared results of compilations are out of reach');
    return undefined;
  }
}

/** Null for what is not worth keeping, or too large. */
async function compressedOf(transpiled: Transpiled): Promise<Buffer | null> {
  if (transpiled.length === 0) return null;
  const compressed = await promisify(gzip)(JSON.stringify(transpiled));
  return compressed.length > MAX_COMPRESSED ? null : compressed;
}

/** @throws Error for what is none of it */
async function decompressed(compressed: Buffer): Promise<Transpiled> {
  const json = await promisify(gunzip)(compressed, { maxOutputLength: 2 * MAX_TRANSPILED_BYTES });
  return transpiledSchema.parse(JSON.parse(json.toString('utf8')));
}

function keyOf(owner: CodeOwner, parts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([ownerKey(owner), parts]))
    .digest('base64url');
}
