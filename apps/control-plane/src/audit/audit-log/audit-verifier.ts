import type { Database } from '@plinth/database';
import { genesisHash, hashAfter, type ChainHead } from './audit-chain';
import type { AuditCheckpointsRepository } from './audit-checkpoints.repository';
import type { AuditEventsRepository, ChainedEvent, RecordedEnd } from './audit-events.repository';
import type { Checkpoint, CheckpointSigner } from './checkpoint-signer';
import { CheckpointTrail } from './checkpoint-trail';

/** What an operator learns of a tenant's log. */
export interface AuditVerdict {
  tenantId: number;
  /** The first event that is kept; more than 1 when months were taken away. */
  from: number;
  /** Up to which event all are as they were recorded. */
  intact: number;
  /** Hash of the last intact event (hex). */
  hash: string;
  /** How many signed checkpoints agree with the events. */
  checkpoints: number;
  /** The first event that does not fit; null when all do. */
  broken: { id: number; reason: string } | null;
}

export interface AuditVerification {
  onlyTenantId?: number | undefined;
  /** Checkpoints that were kept outside the database. */
  kept?: readonly Checkpoint[];
}

const BATCH = 5_000;

/** Walks the chains of audit logs. Holds one batch of events at a time. */
export class AuditVerifier {
  constructor(
    private readonly database: Database,
    private readonly events: AuditEventsRepository,
    private readonly checkpoints: AuditCheckpointsRepository,
    private readonly signer: CheckpointSigner,
  ) {}

  /**
   * The logs of all tenants, or of one.
   *
   * @throws Error for a kept checkpoint that this installation has not signed.
   */
  async *verify({ onlyTenantId, kept = [] }: AuditVerification = {}): AsyncGenerator<AuditVerdict> {
    for (const checkpoint of kept) {
      const problem = this.signer.problemOf(checkpoint);
      if (problem !== undefined) throw new Error(`Of what was kept for tenant ${checkpoint.tenantId}, ${problem}`);
    }
    const ends = await this.database.asSystem((tx) => this.events.listEnds(tx));
    const known = new Map(ends.map((end) => [end.tenantId, end]));
    const tenantIds = new Set([...known.keys(), ...kept.map(({ tenantId }) => tenantId)]);
    for (const tenantId of [...tenantIds].sort((left, right) => left - right)) {
      if (onlyTenantId !== undefined && onlyTenantId !== tenantId) continue;
      const end = known.get(tenantId) ?? { tenantId, length: 0, hash: genesisHash(tenantId), checkpoints: 0 };
      yield this.verifyTenant(
        end,
        kept.filter((each) => each.tenantId === tenantId),
      );
    }
  }

  private async verifyTenant(end: RecordedEnd, kept: readonly Checkpoint[]): Promise<AuditVerdict> {
    const { tenantId, checkpoints: upToNumber } = end;
    const start = await this.startOf(end);
    let last = start;
    const read = (afterNumber: number, upToLength: number) =>
      this.database.asSystem((tx) =>
        this.checkpoints.list(tx, tenantId, { afterNumber, upToNumber, upToLength }, BATCH),
      );
    const trail = new CheckpointTrail({ signer: this.signer, read, kept }, start);
    const verdict = (good: ChainHead, reason?: string): AuditVerdict => ({
      tenantId,
      from: start.length + 1,
      intact: good.length,
      hash: good.hash.toString('hex'),
      checkpoints: trail.agreed,
      broken: reason === undefined ? null : { id: good.length + 1, reason },
    });
    for (;;) {
      const before = last;
      const batch = await this.database.asSystem((tx) => this.events.listAfter(tx, tenantId, before.length, BATCH));
      for (const event of batch) {
        const problem = problemOf(event, last, end);
        if (problem !== undefined) return verdict(last, problem);
        last = { length: event.id, hash: event.hash };
      }
      const hashOf = (id: number) => (id === before.length ? before.hash : batch[id - before.length - 1]?.hash);
      const forged = await trail.problemUpTo(last.length, hashOf);
      if (forged !== undefined) return verdict(trail.anchored, forged);
      if (batch.length < BATCH) break;
    }
    if (last.length < end.length) return verdict(last, `${end.length - last.length} events are missing`);
    return verdict(last, await trail.problemAfter(last.length));
  }

  /** What the first event follows on: nothing, or the checkpoint before it when months were taken away. */
  private startOf({ tenantId, length }: RecordedEnd): Promise<ChainHead> {
    const origin = { length: 0, hash: genesisHash(tenantId) };
    return this.database.asSystem(async (tx) => {
      const [first] = await this.events.listAfter(tx, tenantId, 0, 1);
      const firstId = first?.id ?? length + 1;
      if (firstId === 1) return origin;
      const retained = await this.checkpoints.findRetained(tx, tenantId, firstId);
      if (!retained || this.signer.problemOf(retained) !== undefined) return origin;
      return { length: retained.length, hash: Buffer.from(retained.hash, 'hex') };
    });
  }
}

/** Why the event cannot follow on the one before it. */
function problemOf(event: ChainedEvent, last: ChainHead, head: ChainHead): string | undefined {
  if (event.id !== last.length + 1) return `events are missing: the next one is ${event.id}`;
  if (!event.hash.equals(hashAfter(last.hash, event))) return 'the event is not as it was recorded';
  if (event.id === head.length && !event.hash.equals(head.hash)) return 'the chain does not end as it was recorded';
  return undefined;
}
