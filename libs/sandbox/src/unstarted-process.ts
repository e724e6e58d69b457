import { PassThrough } from 'node:stream';
import type { Exit, SandboxedProcess } from './program';

/** What `start` gives for a program that could not be started: it has ended, and takes and says nothing. */
export class UnstartedProcess implements SandboxedProcess {
  readonly stdin = new PassThrough().resume();
  readonly stdout = new PassThrough().end();
  readonly stderr = new PassThrough().end();
  readonly exited: Promise<Exit>;

  constructor(error: unknown) {
    const reason = error instanceof Error ? error.message : String(error);
    this.exited = Promise.resolve({ code: null, signal: null, error: reason });
  }

  kill(): void {
    // Nothing of it runs.
  }
}
