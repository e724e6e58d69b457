/**
 * One timer for all in a process that want to be called again and again: a process is woken once for them, however many they
 * are. It does not keep the process alive.
 */
export class SharedInterval {
  private readonly callbacks = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly everyMs: number) {}

  /** Returns what ends the calls. */
  add(callback: () => void): () => void {
    this.callbacks.add(callback);
    this.timer ??= setInterval(() => this.call(), this.everyMs).unref();
    return () => this.remove(callback);
  }

  private call(): void {
    for (const callback of this.callbacks) callback();
  }

  private remove(callback: () => void): void {
    this.callbacks.delete(callback);
    if (this.callbacks.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
