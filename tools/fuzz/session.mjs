import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { asCommand, signatureOf } from './findings.mjs';
import { verdict } from './oracle.mjs';
import { render } from './requests.mjs';
import { kindOf } from './world.mjs';

const REQUESTS_AT_A_TIME = 10;
const SHRINK_FOR_MS = 8_000;
const NOTICED_WITHIN_MS = 500;

/** Clients that ask one operation after the other, until the deadline. */
export class Session {
  figures = { requests: 0, statuses: {}, milliseconds: [], served: new Set() };

  constructor({ contract, plans, client, world, findings, topology }) {
    Object.assign(this, { contract, plans, client, world, findings, topology });
  }

  /** Learns what is there to begin with, from every list. */
  async look() {
    const lists = this.contract.operations.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
    for (const operation of lists) {
      const credential = operation.path.startsWith('/api/scim/') ? 'scim' : 'admin';
      const request = { method: 'GET', target: operation.path, headers: {}, credential };
      const reply = await this.client.send(request);
      if (reply?.status < 300) this.#learn(operation, request, reply);
    }
  }

  async work(random, operations, deadline) {
    while (Date.now() < deadline) {
      await this.#try(random.pick(operations), Math.floor(random.next() * 2 ** 31), deadline);
    }
  }

  /** A few requests of the operation; the first that shows something new is made smaller as long as it shows the same. */
  async #try(operation, seed, deadline) {
    let found;
    const property = fc.asyncProperty(this.plans.of(operation), async (made) => {
      if (!found && Date.now() > deadline) return;
      const { request, wrong } = await this.#send(operation, made);
      if (!wrong) return;
      const signature = signatureOf(operation, wrong);
      if (found ? found.signature !== signature : this.findings.has(signature)) return;
      found = { signature, request, wrong, until: found?.until ?? Date.now() + SHRINK_FOR_MS };
      throw new Error(signature);
    });
    // Another client may find the same while this one still makes it smaller.
    const options = {
      seed,
      numRuns: REQUESTS_AT_A_TIME,
      interruptAfterTimeLimit: SHRINK_FOR_MS,
      markInterruptAsFailure: false,
    };
    await fc.check(property, options);
    if (found)
      this.findings.add(found.signature, asCommand(this.client, found.request), found.wrong.reply, `seed ${seed}`);
  }

  async #send(operation, made) {
    const request = render(made, this.world);
    if (this.#isForbidden(request)) return {};
    const reply = await this.client.send(request);
    const isRefused = reply?.status >= 400 && reply.status < 500;
    if (!isRefused) this.world.forget(request.method, request.target, request.body?.toString() ?? '');
    this.#count(operation, reply);
    const wrong =
      reply?.failure && (await this.#isShaken()) ? undefined : verdict(this.contract, operation, request, reply);
    if (reply?.status < 300 && request.isOfOperation) this.#learn(operation, request, reply);
    return { request, wrong };
  }

  /** A process that just ended takes requests with it; its end is a finding of its own. */
  async #isShaken() {
    await delay(NOTICED_WITHIN_MS);
    return this.topology.isShaken();
  }

  /** What the run lives on is neither changed nor deleted by it. */
  #isForbidden({ method, target, body }) {
    if (method === 'GET' || method === 'HEAD') return false;
    const segments = target
      .split('?')[0]
      .split('/')
      .map((segment) => decodeSafely(segment));
    const names = segments.map((segment, index) => [kindOf(segments[index - 1]), segment]);
    if (names.some(([kind, value]) => this.world.isKept(kind, value))) return true;
    if (target.startsWith('/api/v1/users/me/password')) return true;
    return (
      /"(active|isDeactivated|allowPersonalApiKeys|embeddingEnabled)":/.test(body ?? '') &&
      target.startsWith('/api/v1/tenant')
    );
  }

  #learn(operation, request, reply) {
    this.figures.served.add(operation.id);
    if (!/json/.test(reply.headers['content-type'] ?? '')) return;
    try {
      this.world.learn(operation, request.target, JSON.parse(reply.text));
    } catch {
      // A reply that is no JSON is the oracle's business.
    }
  }

  #count(operation, reply) {
    const { figures } = this;
    const outcome = reply?.status ?? reply?.failure ?? 'left';
    figures.requests += 1;
    figures.statuses[outcome] = (figures.statuses[outcome] ?? 0) + 1;
    if (reply?.ms) figures.milliseconds.push(reply.ms);
  }
}

function decodeSafely(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
