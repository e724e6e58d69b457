/** Wall-clock time that several steps share, from the first one that begins. */
export class Deadline {
  private begunAt: number | undefined;

  constructor(private readonly timeoutMs: number) {}

  begin(): void {
    this.begunAt ??= performance.now();
  }

  /** Milliseconds, never below zero. */
  get leftMs(): number {
    const passed = this.begunAt === undefined ? 0 : performance.now() - this.begunAt;
    return Math.max(0, this.timeoutMs - passed);
  }
}
