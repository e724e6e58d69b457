import { Agent, request as openRequest } from 'node:http';

export const HANG_MS = 60_000;
const LARGEST_REPLY = 32 * 1024 * 1024;
/** Above these a server that refuses a request may close the connection before all of it is sent. */
const LARGE_BODY = 64 * 1024;
const LARGE_HEAD = 16 * 1024;

/** Sends requests with the credentials of the run; no request of it goes anywhere but to the platform. */
export class HttpClient {
  #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(url, credentials) {
    this.url = new URL(url);
    this.credentials = credentials;
  }

  /** The reply, or `failure` in its place; undefined when this client did not wait for one. */
  async send(request) {
    const reply = await this.#attempt(request);
    // A connection that the server closed while it was idle says nothing about the request.
    const mayBeIdle = reply?.failure === 'ECONNRESET' || reply?.failure === 'EPIPE';
    if (!mayBeIdle) return reply;
    const again = await this.#attempt(request);
    const head = request.target.length + JSON.stringify(request.headers).length;
    const mayBeRefused = (request.body?.length ?? 0) > LARGE_BODY || head > LARGE_HEAD;
    return again?.failure && mayBeRefused ? undefined : again;
  }

  async json(method, target, credential = 'admin', body) {
    const bytes = body && Buffer.from(JSON.stringify(body));
    const type = target.startsWith('/api/scim/') ? 'application/scim+json' : 'application/json';
    const headers = bytes ? { 'Content-Type': type } : {};
    const reply = await this.send({ method, target, headers, credential, body: bytes });
    return { ...reply, body: reply.text ? JSON.parse(reply.text) : undefined };
  }

  close() {
    this.#agent.destroy();
  }

  headersOf({ headers = {}, credential, body }) {
    const key = this.credentials[credential];
    return {
      ...(body && { 'Content-Length': String(body.length) }),
      ...headers,
      ...(key && { Authorization: `Bearer ${key}` }),
    };
  }

  #attempt(request) {
    const { method, target, body, behaviour = 'patient' } = request;
    const startedAt = performance.now();
    return new Promise((resolve) => {
      const { hostname, port } = this.url;
      const options = { hostname, port, method, path: target, headers: this.headersOf(request), agent: this.#agent };
      const outgoing = openRequest(options, (incoming) => {
        if (behaviour === 'leave') return leave(outgoing, resolve);
        void read(incoming).then(
          (text) =>
            resolve({
              status: incoming.statusCode,
              headers: incoming.headers,
              text,
              ms: performance.now() - startedAt,
            }),
          fail,
        );
      });
      const fail = (error) => resolve({ failure: error.code ?? String(error), ms: performance.now() - startedAt });
      outgoing.setTimeout(HANG_MS, () => outgoing.destroy(Object.assign(new Error('no reply'), { code: 'TIMEOUT' })));
      outgoing.on('error', fail);
      if (behaviour === 'leave')
        outgoing.once('finish', () => setTimeout(leave, 20 * Math.random(), outgoing, resolve));
      write(outgoing, body, behaviour, resolve);
    });
  }
}

function leave(outgoing, resolve) {
  resolve(undefined);
  outgoing.destroy();
}

/** A slow client sends a few bytes at a time; one that cuts goes away in the middle of its body. */
function write(outgoing, body, behaviour, resolve) {
  if (!body || (behaviour !== 'slow' && behaviour !== 'cut')) return outgoing.end(body);
  const half = Math.floor(body.length / 2);
  outgoing.write(body.subarray(0, half));
  setTimeout(() => (behaviour === 'cut' ? leave(outgoing, resolve) : outgoing.end(body.subarray(half))), 300);
}

async function read(incoming) {
  const chunks = [];
  let length = 0;
  for await (const chunk of incoming) {
    length += chunk.length;
    if (length <= LARGEST_REPLY) chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
