import type { DrawingProcess } from './drawing-process';

/** Processes that wait for the next scene of their owner. Those in use belong to who has taken them. */
export class ProcessPool {
  private readonly idle = new Map<DrawingProcess, NodeJS.Timeout>();
  private readonly taken = new Set<DrawingProcess>();

  constructor(
    private readonly start: (owner: string) => DrawingProcess,
    private readonly limits: { idleMs: number; mostIdle: number },
  ) {}

  /** One that has served this owner alone. It has to be given back, or ended. */
  take(owner: string): DrawingProcess {
    const waiting = [...this.idle.keys()].find((each) => each.owner === owner && each.usable);
    if (waiting) this.forget(waiting);
    const process = waiting ?? this.start(owner);
    this.taken.add(process);
    return process;
  }

  give(process: DrawingProcess): void {
    this.taken.delete(process);
    if (!process.usable) return;
    const timer = setTimeout(() => this.drop(process), this.limits.idleMs).unref();
    this.idle.set(process, timer);
    for (const oldest of this.idle.keys()) {
      if (this.idle.size <= this.limits.mostIdle) break;
      this.drop(oldest);
    }
  }

  async close(): Promise<void> {
    const all = [...this.idle.keys(), ...this.taken];
    for (const process of this.idle.keys()) this.forget(process);
    await Promise.all(all.map((process) => process.close()));
  }

  private drop(process: DrawingProcess): void {
    this.forget(process);
    process.stop();
  }

  private forget(process: DrawingProcess): void {
    clearTimeout(this.idle.get(process));
    this.idle.delete(process);
  }
}
