/** Sends signs of life to the peer of a stream and notices when none arrive from it any more. */
export class Liveness {
  private lastHeard = performance.now();
  private readonly timer: NodeJS.Timeout;

  constructor(idleMs: number, beat: () => void, lost: () => void) {
    this.timer = setInterval(() => {
      if (performance.now() - this.lastHeard > idleMs) lost();
      else beat();
    }, idleMs / 3).unref();
  }

  heard(): void {
    this.lastHeard = performance.now();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
