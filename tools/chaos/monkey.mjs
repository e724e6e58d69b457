import { setTimeout as delay } from 'node:timers/promises';

const LEASE_MS = 3_000;

const anyWorker = (platform, random) => random.pick([...platform.workers.keys()]);

const workerFaults = {
  kill: async (platform, random) => {
    await platform.forget(anyWorker(platform, random)).kill();
    await delay(random.between(0, 2 * LEASE_MS));
    await platform.startWorker();
  },
  pause: async (platform, random) => {
    const worker = platform.workers.get(anyWorker(platform, random));
    worker.signal('SIGSTOP');
    await delay(random.between(LEASE_MS + 1_000, 3 * LEASE_MS));
    worker.signal('SIGCONT');
  },
  replace: async (platform, random) => {
    await platform.startWorker();
    await platform.forget(anyWorker(platform, random)).stop();
  },
};

const serverFaults = {
  nats: (platform, random) => platform.restartNats(random.pick([undefined, 'kill']), random.between(100, 1_500)),
  'postgres-fast': (platform, random) => platform.restartPostgres('fast', random.between(0, 1_500)),
  'postgres-immediate': (platform, random) => platform.restartPostgres('immediate', random.between(0, 1_500)),
};

/** What happens at the same time, and how long it is calm between the end of one fault and the next. */
const lanes = [
  { faults: workerFaults, calmMs: [4_000, 10_000] },
  { faults: serverFaults, calmMs: [8_000, 15_000] },
];

export const faultNames = lanes.flatMap(({ faults }) => Object.keys(faults));

/** Breaks one thing after the other, each once before one comes again, and mends what it broke. */
export class Monkey {
  counts = {};

  constructor(platform, { names, random, log }) {
    this.platform = platform;
    this.names = names;
    this.random = random;
    this.log = log;
  }

  /** Works until the signal is aborted, and returns when everything runs again. */
  async work(signal) {
    const ends = await Promise.allSettled(lanes.map((lane) => this.#workIn(lane, signal)));
    const failed = ends.find(({ status }) => status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #workIn({ faults, calmMs }, signal) {
    const names = Object.keys(faults).filter((name) => this.names.includes(name));
    if (names.length === 0) return;
    for (let round = []; ;) {
      await delay(this.random.between(...calmMs), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      if (round.length === 0) round = [...names];
      const [name] = round.splice(Math.floor(this.random.next() * round.length), 1);
      this.log(`fault: ${name}`);
      await faults[name](this.platform, this.random);
      this.counts[name] = (this.counts[name] ?? 0) + 1;
    }
  }
}
