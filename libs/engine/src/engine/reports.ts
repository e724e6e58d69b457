import type { Redactor } from '@plinth/redaction';
import type { EngineReport } from '../protocol';

type Level = Extract<EngineReport, { kind: 'log' }>['level'];
type Container = Extract<EngineReport, { kind: 'log' }>['container'];

/** Lines for the log in one second; more are counted and left out. */
const LINES_A_SECOND = 100;
const MAX_PENDING_BYTES = 1 << 20;

/** What the runtime hears: lines of JSON on the standard output. */
export class Reports {
  private lines = 0;
  private second = 0;

  constructor(private readonly redactor: Redactor) {}

  send(report: EngineReport): void {
    // Whoever does not read misses lines of the log, and nothing that matters.
    if (report.kind === 'log' && process.stdout.writableLength > MAX_PENDING_BYTES) return;
    process.stdout.write(`${JSON.stringify(report)}\n`);
  }

  log(level: Level, message: string, container: Container = 'engine'): void {
    const second = Math.floor(Date.now() / 1_000);
    if (second !== this.second) [this.second, this.lines] = [second, 0];
    this.lines += 1;
    if (this.lines > LINES_A_SECOND) return;
    const last = this.lines === LINES_A_SECOND;
    const text = last ? 'Too many lines: the rest of this second is left out' : this.redactor.clean(message);
    this.send({ kind: 'log', level: last ? 'warning' : level, message: text, container });
  }
}
