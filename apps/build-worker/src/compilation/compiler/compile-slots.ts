import { type CodeOwner } from './code-owner';
import { RecentUse } from './recent-use';

type Claimant = Pick<CodeOwner, 'tenantId' | 'deploymentId'>;

interface Turn extends Claimant {
  since: number;
}

interface Waiter extends Claimant {
  enter(turn: Turn): void;
}

/** A place among the compilations that run. */
export interface Slot {
  /** The tenant has had much of late; what others wait for comes first. */
  heavy: boolean;
  leave(): void;
}

/** Time in slots that makes a tenant heavy: far more than ordinary models take. */
const HEAVY_MS = 20_000;
/** Whoever has had less than so much more than another comes in the order of arrival. */
const SHARE_MS = 5_000;

/**
 * Divides the compilations that run at the same time among tenants, then among the deployments of each. Nobody holds the
 * last slot who holds another already, and the heavy tenants together do not either: whoever keeps the compiler busy
 * leaves room for the rest, and never more than one slot's worth of waiting.
 */
export class CompileSlots {
  private readonly running = new Set<Turn>();
  private waiting: Waiter[] = [];
  private readonly used = { tenants: new RecentUse<number>(), deployments: new RecentUse<number>() };
  /** Slots that one tenant may hold. */
  private readonly room: number;

  constructor(
    private readonly size: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.room = Math.max(1, size - 1);
  }

  /** Resolves when it is the claimant's turn. */
  async enter({ tenantId, deploymentId }: Claimant): Promise<Slot> {
    const turn = await new Promise<Turn>((enter) => {
      this.waiting.push({ tenantId, deploymentId, enter });
      this.admit();
    });
    return { heavy: this.isHeavy(tenantId), leave: () => this.leave(turn) };
  }

  private leave(turn: Turn): void {
    if (!this.running.delete(turn)) return;
    const now = this.now();
    this.used.tenants.add(turn.tenantId, now - turn.since, now);
    this.used.deployments.add(turn.deploymentId, now - turn.since, now);
    this.admit();
  }

  private admit(): void {
    while (this.running.size < this.size) {
      const next = this.waiting.filter((waiter) => this.mayEnter(waiter)).sort((a, b) => this.inOrder(a, b))[0];
      if (!next) return;
      this.waiting = this.waiting.filter((waiter) => waiter !== next);
      const turn = { tenantId: next.tenantId, deploymentId: next.deploymentId, since: this.now() };
      this.running.add(turn);
      next.enter(turn);
    }
  }

  private mayEnter({ tenantId }: Waiter): boolean {
    if (this.count((turn) => turn.tenantId === tenantId) >= this.room) return false;
    return !this.isHeavy(tenantId) || this.count((turn) => this.isHeavy(turn.tenantId)) < this.room;
  }

  /** Those who hold nothing go first, then those who have had less; arrival decides among equals. */
  private inOrder(a: Waiter, b: Waiter): number {
    const [first, second] = [this.standing(a), this.standing(b)];
    const differs = first.findIndex((value, index) => value !== second[index]);
    return differs < 0 ? 0 : (first[differs] ?? 0) - (second[differs] ?? 0);
  }

  private standing({ tenantId, deploymentId }: Waiter): number[] {
    return [
      this.count((turn) => turn.tenantId === tenantId) === 0 ? 0 : 1,
      Math.floor(this.useOf('tenants', tenantId) / SHARE_MS),
      this.count((turn) => turn.deploymentId === deploymentId) === 0 ? 0 : 1,
      Math.floor(this.useOf('deployments', deploymentId) / SHARE_MS),
    ];
  }

  private isHeavy(tenantId: number): boolean {
    return this.useOf('tenants', tenantId) >= HEAVY_MS;
  }

  /** With what is under way. */
  private useOf(kind: 'tenants' | 'deployments', id: number): number {
    const now = this.now();
    const under = [...this.running].filter((turn) => (kind === 'tenants' ? turn.tenantId : turn.deploymentId) === id);
    return under.reduce((sum, { since }) => sum + now - since, this.used[kind].of(id, now));
  }

  private count(matches: (turn: Turn) => boolean): number {
    return [...this.running].filter(matches).length;
  }
}
