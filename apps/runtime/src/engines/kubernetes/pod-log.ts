import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { readLines } from '@plinth/streams';
import type { Cluster } from './cluster';

const LINE_LIMIT = 65_536;
/** Until a stream that has ended is opened again, in milliseconds. */
const AGAIN_MS = 1_000;
const TIMED_LINE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?Z (.*)$/;
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/** What an engine in a cluster prints, each line once, for as long as the engine is held. */
export class PodLog {
  /** The last line that came, for those who are told that the engine does not start. */
  last: string | undefined;
  private pod: string | undefined;
  private stream: IncomingMessage | undefined;
  private readonly closing = new AbortController();

  /** @param seen time of the last line that has been heard already, as RFC 3339 has it */
  constructor(
    private readonly cluster: Pick<Cluster, 'log'>,
    private readonly heard: (message: string) => void,
    private seen: string | undefined,
  ) {}

  /** Follows the pod from now on; the one before it has ended. */
  follow(pod: string): void {
    if (pod === this.pod) return;
    this.pod = pod;
    this.stream?.destroy();
    void this.run(pod);
  }

  /** What is there of the pod up to now, also of the container that ended, where the stream has not brought it. */
  async catchUp(pod: string): Promise<void> {
    for (const previous of [true, false]) {
      await this.read(pod, { follow: false, previous, tailLines: 20 }).catch(() => undefined);
    }
  }

  close(): void {
    this.closing.abort();
    this.stream?.destroy();
  }

  /** Containers that only start have no log, and API servers end streams after a while. */
  private async run(pod: string): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted && pod === this.pod) {
      await this.read(pod, { follow: true }).catch(() => undefined);
      await delay(AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  private async read(pod: string, options: Parameters<Cluster['log']>[1]): Promise<void> {
    const stream = await this.cluster.log(pod, { ...options, since: this.seen && secondOf(this.seen) });
    if (this.closing.signal.aborted) return void stream.destroy();
    if (options.follow) this.stream = stream;
    readLines(stream, LINE_LIMIT, (line) => this.take(line));
    await new Promise<void>((resolve) => stream.once('close', resolve));
  }

  private take(line: string): void {
    const [, second, fraction = '', text] = TIMED_LINE.exec(line) ?? [];
    if (second === undefined || text === undefined) return;
    const time = `${second}.${fraction.padEnd(9, '0')}Z`;
    // The API knows seconds alone.
    if (this.seen !== undefined && time <= this.seen) return;
    this.seen = time;
    const message = messageIn(text);
    if (message === '') return;
    this.last = message;
    this.heard(message);
  }
}

const secondOf = (time: string): string => `${time.slice(0, 19)}Z`;

/** The engine logs lines of JSON; of these what the engine beside a runtime would say. */
function messageIn(line: string): string {
  const record = recordIn(line);
  if (!record) return line.replace(COLOURS, '').trimEnd();
  const { message, error, warning } = record;
  const more = [error, warning].find((each) => each !== undefined);
  const told = more === undefined ? '' : `: ${textOf(more).split('\n    at ')[0]}`;
  return `${textOf(message ?? '')}${told}`.trim();
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

function recordIn(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
