import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../bench/processes.mjs';

const READY_WITHIN_MS = 90_000;
const STOP_WITHIN_MS = 30_000;
const READY = /"msg":"ready"|^ready http/;
const LAST_LINES = 15;

/** After this long what a process printed belongs together. */
const BURST_MS = 500;

/** A process of the platform whose log is read: errors, lines that are no log and an early end are told to `report`. */
export class WatchedProcess {
  #child;
  #last = [];
  #burst;
  #stopping = false;
  #whenReady = () => undefined;

  constructor(name, entry, settings, report) {
    this.name = name;
    this.report = report;
    this.#child = spawn(process.execPath, [join(root, 'dist/apps', entry)], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    /** Whether it ended by itself. */
    this.ended = once(this.#child, 'exit').then(([code, signal]) => {
      clearTimeout(this.#burst);
      if (this.#stopping) return false;
      const reason = this.#last.find((line) => /^\w*Error/.test(line)) ?? '';
      report(`${name} ended with ${code ?? signal}: ${firstWords(reason)}`, this.#last.join('\n'));
      return true;
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => this.#read(line));
    }
  }

  /** The line that says that the process serves. */
  async ready() {
    const line = new Promise((found) => (this.#whenReady = found));
    const late = new Promise((_found, failed) => setTimeout(failed, READY_WITHIN_MS, this.#failure()).unref());
    const ended = this.ended.then(() => Promise.reject(this.#failure()));
    return Promise.race([line, late, ended]);
  }

  async stop() {
    this.#stopping = true;
    this.#child.kill('SIGTERM');
    const force = setTimeout(() => this.#child.kill('SIGKILL'), STOP_WITHIN_MS);
    await this.ended;
    clearTimeout(force);
  }

  #failure = () => new Error(`${this.name} does not start:\n${this.#last.join('\n')}`);

  #read(line) {
    this.#last = [...this.#last, line.slice(0, 2_000)].slice(-LAST_LINES);
    if (READY.test(line)) this.#whenReady(line);
    else if (!line.startsWith('{')) this.#burst ??= setTimeout(() => this.#printed(line), BURST_MS);
    else if (/"level":"(error|fatal)"/.test(line)) this.report(`${this.name} logs ${summary(line)}`, line);
  }

  /** What a process prints before it ends is told with its end. */
  #printed(line) {
    this.#burst = undefined;
    this.report(`${this.name} prints "${firstWords(line)}"`, this.#last.join('\n'));
  }
}

const firstWords = (text) => text.replace(/\d+/g, 'N').slice(0, 80);

/** What was logged without what differs from one line to the next. */
function summary(line) {
  const { msg, code, cause } = JSON.parse(line);
  return firstWords([msg, code, cause?.message].filter(Boolean).join(': '));
}
