import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../bench/processes.mjs';

const READY_WITHIN_MS = 90_000;
const STOP_WITHIN_MS = 30_000;
const READY = /"msg":"ready"|^ready http/;
const LAST_LINES = 15;

/** A process of the platform whose log is read: errors, lines that are no log and an early end are told to `report`. */
export class WatchedProcess {
  #child;
  #last = [];
  #stopping = false;

  constructor(name, entry, settings, report) {
    this.name = name;
    this.#child = spawn(process.execPath, [join(root, 'dist/apps', entry)], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.ended = once(this.#child, 'exit').then(([code, signal]) => {
      if (!this.#stopping) report(`${name} ended with ${code ?? signal}`, this.#last.join('\n'));
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => this.#read(line, report));
    }
  }

  get pid() {
    return this.#child.pid;
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

  #whenReady = () => undefined;

  #failure = () => new Error(`${this.name} does not start:\n${this.#last.join('\n')}`);

  #read(line, report) {
    this.#last = [...this.#last, line.slice(0, 2_000)].slice(-LAST_LINES);
    if (READY.test(line)) this.#whenReady(line);
    else if (!line.startsWith('{')) report(`${this.name} prints "${firstWords(line)}"`, line);
    else if (/"level":"(error|fatal)"/.test(line)) report(`${this.name} logs ${summary(line)}`, line);
  }
}

const firstWords = (text) => text.replace(/\d+/g, 'N').slice(0, 80);

/** What was logged without what differs from one line to the next. */
function summary(line) {
  const { msg, code, cause } = JSON.parse(line);
  return firstWords([msg, code, cause?.message].filter(Boolean).join(': '));
}
