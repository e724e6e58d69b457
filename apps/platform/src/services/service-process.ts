import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Environment } from '@plinth/config';
import { serviceOf, settingsOfProcess } from '@plinth/local-services';
import { readLines, spawnOwned } from '@plinth/streams';

export interface ServiceProcessOptions {
  name: string;
  environment: Environment;
  /** Folder of the installation, with the build in `dist`. */
  root: string;
  /** Called when the process ends although nobody has stopped it. */
  onLost: (what: string) => void;
}

/** Beyond the grace of a service and what it takes to put things down, in milliseconds. */
const STOP_ALLOWANCE_MS = 20_000;

const LONGEST_LINE_BYTES = 1 << 20;

/** A service as a child, in a process group of its own: a Ctrl-C reaches it through who started it, in order. */
export class ServiceProcess {
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown>;
  private readonly ready: Promise<string | undefined>;
  private isStopping = false;

  constructor({ name, environment, root, onLost }: ServiceProcessOptions) {
    const entry = join(root, 'dist/apps', serviceOf(name), 'src/main.js');
    this.child = spawnOwned(process.execPath, [entry], {
      cwd: root,
      env: { ...environment, ...settingsOfProcess(name) },
      // The channel tells it when this process is gone, however that ended.
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      detached: true,
    });
    this.exited = once(this.child, 'close');
    this.exited.catch(() => undefined);
    this.ready = this.readiness(name);
    this.ready.catch(() => undefined);
    this.child.once('close', () => {
      if (!this.isStopping) onLost(name);
    });
  }

  /** The service's address for people, where it has one. @throws Error when it ends before it is ready */
  whenReady(): Promise<string | undefined> {
    return this.ready;
  }

  async stop(graceMs: number): Promise<void> {
    this.isStopping = true;
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGTERM');
    const force = setTimeout(() => this.child.kill('SIGKILL'), graceMs + STOP_ALLOWANCE_MS);
    await this.exited.finally(() => clearTimeout(force));
  }

  /** What it writes goes on to this process's output; its line `ready` has the address. */
  private readiness(name: string): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      this.child.once('close', () => reject(new Error(`${name} has ended before it was ready`)));
      if (!this.child.stdout) return;
      readLines(this.child.stdout, LONGEST_LINE_BYTES, (line) => {
        process.stdout.write(`${line}\n`);
        if (line.includes('"msg":"ready"')) resolve((JSON.parse(line) as { url?: string }).url);
      });
    });
  }
}
