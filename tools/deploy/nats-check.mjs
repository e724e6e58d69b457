import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { connect } from 'nats';
import { freePort } from '../bench/processes.mjs';
import { root, services } from './tree.mjs';

const configuration = join(root, 'deploy/nats/nats-server.conf');
const passwordOf = (service) => `'9${service}'`;
const environment = Object.fromEntries(
  services.map((service) => [`NATS_${service.replace('-', '_').toUpperCase()}_PASSWORD`, passwordOf(service)]),
);

/** Starts a server with the deployed configuration and tries what each service may and may not do. */
export async function natsProblems(note) {
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin`, ...environment };
  try {
    execFileSync('nats-server', ['-t', '-c', configuration], { env, stdio: 'pipe' });
  } catch (error) {
    if (error.code !== 'ENOENT') return [`deploy/nats/nats-server.conf: ${error.stderr}`];
    note('deploy: nats-server is not installed (tools/setup.sh): its configuration was not tried');
    return [];
  }
  const [port, monitorPort] = [await freePort(), await freePort()];
  const flags = ['-c', configuration, '-a', '127.0.0.1', '-p', String(port), '-m', String(monitorPort)];
  const server = spawn('nats-server', flags, { env, stdio: 'ignore' });
  const connections = new Map();
  try {
    for (const service of services) connections.set(service, await connectAs(service, port));
    const found = [...(await subscriptionProblems(connections)), ...(await requestProblems(connections))];
    return found.map((problem) => `deploy/nats/nats-server.conf: ${problem}`);
  } finally {
    await Promise.all([...connections.values()].map((connection) => connection.close()));
    server.kill();
  }
}

function connectAs(service, port) {
  return connect({
    servers: `127.0.0.1:${port}`,
    user: service,
    pass: passwordOf(service).slice(1, -1),
    inboxPrefix: `_INBOX.${service}`,
    waitOnFirstConnect: true,
    maxReconnectAttempts: 100,
    reconnectTimeWait: 50,
  });
}

/** Whether the server lets the connection subscribe. A refusal arrives before the answer to the flush. */
async function mayListen(connection, subject, queue) {
  let refusal;
  const subscription = connection.subscribe(subject, { queue, callback: (error) => (refusal ??= error) });
  await connection.flush();
  if (!refusal) subscription.unsubscribe();
  return !refusal;
}

async function subscriptionProblems(connections) {
  const problems = [];
  for (const [service, connection] of connections) {
    for (const owner of services) {
      const own = owner === service;
      const attempts = [
        [`rpc.${owner}.*`, owner],
        [`rpc.${owner}.some-worker.*`, owner],
        [`_INBOX.${owner}.x.*`],
        [`stream.${owner}.some-connection.*`],
      ];
      for (const [subject, queue] of attempts) {
        if ((await mayListen(connection, subject, queue)) === own) continue;
        problems.push(`${service} ${own ? 'cannot' : 'can'} subscribe to ${subject}`);
      }
    }
    if (await mayListen(connection, `rpc.${service}.*`)) problems.push(`${service} can listen outside its queue group`);
    if (!(await mayListen(connection, 'evt.control-plane.credential.changed'))) {
      problems.push(`${service} cannot hear notices`);
    }
  }
  return problems;
}

/** Every service answers the gateway; what scim has no business sending arrives nowhere. */
async function requestProblems(connections) {
  const problems = [];
  const arrived = [];
  for (const [service, connection] of connections) {
    connection.subscribe(`rpc.${service}.>`, {
      queue: service,
      callback: (_error, message) => {
        arrived.push(message.subject);
        message.respond('fine');
      },
    });
    for (const subject of ['evt.>', `_INBOX.${service}.>`]) {
      connection.subscribe(subject, { callback: (_error, message) => arrived.push(message.subject) });
    }
    await connection.flush();
  }
  for (const service of services.filter((name) => name !== 'gateway')) {
    const asked = connections.get('gateway').request(`rpc.${service}.anything`, 'x', { timeout: 2_000 });
    await asked.catch(() => problems.push(`gateway gets no answer from ${service}`));
  }
  const scim = connections.get('scim');
  const forbidden = ['rpc.build-worker.forbidden', 'evt.control-plane.credential.changed', '_INBOX.gateway.x'];
  for (const subject of forbidden) scim.publish(subject, 'x');
  for (const connection of connections.values()) await connection.flush();
  for (const subject of forbidden) if (arrived.includes(subject)) problems.push(`scim can publish to ${subject}`);
  return problems;
}
