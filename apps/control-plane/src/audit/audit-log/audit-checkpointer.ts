import { open } from 'node:fs/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '@plinth/database';
import { CONFIG, LOGGER } from '@plinth/host';
import type { Logger } from '@plinth/observability';
import { WakeableLoop } from '@plinth/tasks';
import type { AuditConfig } from './audit.config';
import { AuditCheckpointsRepository } from './audit-checkpoints.repository';
import { CheckpointSigner, type Checkpoint } from './checkpoint-signer';

const POLL_MS = 10_000;
const BATCH = 500;

/**
 * Signs where audit logs end, beside what is recorded rather than in its way, and publishes that outside the database: in
 * the process's log and in a file. Processes take turns; a checkpoint is published at least once.
 */
@Injectable()
export class AuditCheckpointer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly loop: WakeableLoop;

  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly checkpoints: AuditCheckpointsRepository,
    private readonly signer: CheckpointSigner,
    @Inject(CONFIG) private readonly config: AuditConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const everyMs = Math.min(POLL_MS, config.auditCheckpointSeconds * 1_000);
    this.loop = new WakeableLoop(() => this.run(), {
      name: 'anchor audit logs',
      everyMs,
      firstAfterMs: everyMs,
      logger,
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.loop.stop();
  }

  /** Signs what is due and publishes what is not yet; nothing while another process does. */
  async run(): Promise<void> {
    for (let after: number | undefined = 0; after !== undefined; after = await this.signSome(after));
    while ((await this.publishSome()) === BATCH);
  }

  /** The tenant to go on after, unless there is none. */
  private signSome(after: number): Promise<number | undefined> {
    const { auditCheckpointEvents: events, auditCheckpointSeconds: seconds } = this.config;
    return this.database.asSystem(async (tx) => {
      if (!(await this.checkpoints.tryLock(tx))) return undefined;
      const due = await this.checkpoints.listDue(tx, { events, seconds }, after, BATCH);
      const signedAt = new Date().toISOString();
      for (const end of due) await this.checkpoints.insert(tx, this.signer.sign({ ...end, signedAt }));
      return due.length === BATCH ? due.at(-1)?.tenantId : undefined;
    });
  }

  private publishSome(): Promise<number> {
    return this.database.asSystem(async (tx) => {
      if (!(await this.checkpoints.tryLock(tx))) return 0;
      const unpublished = await this.checkpoints.listUnpublished(tx, BATCH);
      if (unpublished.length === 0) return 0;
      for (const auditCheckpoint of unpublished) this.logger.info({ auditCheckpoint }, 'the end of an audit log');
      const { auditCheckpointFile: file } = this.config;
      if (file !== undefined) await append(file, unpublished);
      await this.checkpoints.markPublished(tx, unpublished);
      return unpublished.length;
    });
  }
}

/** Returns once the lines are on the disk. */
async function append(file: string, checkpoints: readonly Checkpoint[]): Promise<void> {
  const handle = await open(file, 'a', 0o600);
  try {
    await handle.appendFile(checkpoints.map((checkpoint) => `${JSON.stringify(checkpoint)}\n`).join(''));
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
