import { connect } from 'node:net';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { rawCase } from './raw-cases.mjs';

/** A server may keep an unfinished request for longer than this; then the client goes. */
const PATIENCE_MS = 1_500;
/** After this nothing more is coming on a connection that stays open. */
const QUIET_MS = 200;
const STATUS_LINE = /HTTP\/1\.1 (\d{3}) /g;
const BETWEEN_MS = 20;

/** Opens sockets and writes what is no request, until the deadline. */
export async function workOnSockets({ client, world, findings, figures, topology }, random, deadline) {
  const { hostname, port, host } = client.url;
  while (Date.now() < deadline) {
    const [{ what, manner }] = fc.sample(rawCase, { numRuns: 1, seed: Math.floor(random.next() * 2 ** 31) });
    const text = what.bytes
      .replaceAll('HOST', host)
      .replaceAll('KEY', client.credentials.admin)
      .replaceAll('DEPLOYMENT', world.pick('deployments', 0))
      .replaceAll('UPLOAD', world.pick('uploads', 0) ?? 'x');
    const reply = await exchange({ hostname, port }, Buffer.from(text, 'latin1'), manner);
    figures.sockets = (figures.sockets ?? 0) + 1;
    const wrong = problemOf(what, reply, topology);
    if (wrong)
      findings.add(
        `socket: ${what.name} | ${wrong}`,
        JSON.stringify(what.bytes).slice(0, 2_000),
        JSON.stringify(manner),
        reply.text.slice(0, 600),
      );
    await delay(BETWEEN_MS);
  }
}

async function exchange(address, bytes, { pieces, leaves }) {
  const socket = connect({ host: address.hostname, port: Number(address.port) });
  let text = '';
  let failure;
  socket.on('data', (chunk) => (text += chunk.toString('latin1')));
  socket.on('error', (error) => (failure = error.code));
  const closed = once(socket, 'close').catch(() => undefined);
  const size = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length && socket.writable; at += size) {
    socket.write(bytes.subarray(at, at + size));
    if (pieces > 1) await delay(5);
  }
  if (leaves === 'ends') socket.end();
  if (leaves === 'resets') setTimeout(() => socket.resetAndDestroy(), 5);
  await Promise.race([closed, quiet(socket), delay(PATIENCE_MS)]);
  socket.destroy();
  return { text, failure };
}

const quiet = (socket) =>
  new Promise((resolve) => {
    let timer;
    socket.on('data', () => {
      clearTimeout(timer);
      timer = setTimeout(resolve, QUIET_MS);
    });
  });

/** A reply to bytes may be any refusal; it may not be a failure, nor an answer to what a body holds. */
function problemOf({ requests }, { text, failure }, topology) {
  if (failure === 'ECONNREFUSED') return topology.isShaken() ? undefined : 'nobody listens';
  const statuses = [...text.matchAll(STATUS_LINE)]
    .map(([, status]) => Number(status))
    .filter((status) => status !== 100);
  const failed = statuses.find((status) => status >= 500 && ![501, 505].includes(status));
  if (failed) return `status ${failed}`;
  if (text.includes('hidden-by-framing')) return 'a request hidden in a body was answered';
  if (statuses.length > requests) return `${statuses.length} replies to ${requests} requests`;
  return text && !text.startsWith('HTTP/1.1 ') ? 'a reply that is no HTTP' : undefined;
}
