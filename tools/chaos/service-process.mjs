import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { root } from '../bench/processes.mjs';

const READY_WITHIN_MS = 90_000;
const STOP_WITHIN_MS = 60_000;
const READY_LINE = /"msg":"ready"/;

/** One service in a process of its own, whose output goes to a file. */
export class ServiceProcess {
  #child;
  #exited;

  constructor(service, logFile, settings) {
    this.#child = spawn(process.execPath, [join(root, `dist/apps/${service}/src/main.js`)], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#exited = once(this.#child, 'exit').then(([status, signal]) => ({ status, signal }));
    /** The line that says so, with the public and the operations address; undefined when the process did not start. */
    this.ready = this.#untilReady(createWriteStream(logFile, { flags: 'a' }));
  }

  get running() {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  signal(name) {
    if (this.running) this.#child.kill(name);
  }

  async kill() {
    this.signal('SIGKILL');
    await this.#exited;
  }

  /** An orderly end, after a pause too; says how the process ended. */
  async stop() {
    this.signal('SIGCONT');
    this.signal('SIGTERM');
    const force = setTimeout(() => this.signal('SIGKILL'), STOP_WITHIN_MS);
    const end = await this.#exited;
    clearTimeout(force);
    return end;
  }

  #untilReady(log) {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.signal('SIGKILL'), READY_WITHIN_MS);
      const onData = (chunk) => {
        log.write(chunk);
        const line =
          READY_LINE.test(chunk) &&
          String(chunk)
            .split('\n')
            .find((text) => READY_LINE.test(text));
        if (!line) return;
        clearTimeout(timer);
        resolve(JSON.parse(line));
      };
      this.#child.stdout.on('data', onData);
      this.#child.stderr.on('data', onData);
      void this.#exited.then(() => {
        clearTimeout(timer);
        log.end();
        resolve(undefined);
      });
    });
  }
}
