import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const register = resolve(__dirname, '../../../tools/jest/register-typescript.js');
let server: Server;
let port: number;
beforeAll(async () => {
  server = createServer((_, response) => response.end('reached'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => server.close());

/** What each way of reaching the server gets in a process whose connections are guarded. */
async function attempts(policy: object, ...ways: string[]): Promise<unknown> {
  const program = `
    const { guardConnections } = require(${JSON.stringify(resolve(__dirname, 'guard-connections.ts'))});
    guardConnections(${JSON.stringify(policy)}, ['/run/named.sock']);
    const port = ${port};
    const settle = (thing) => thing?.once ? new Promise((done, fail) => { thing.once('error', fail); thing.once('connect', () => done('reached')); thing.once('response', () => done('reached')); }) : thing;
    const tell = (work) => Promise.resolve().then(work).then(settle).then((value) => value?.text?.() ?? value, (error) => error.cause?.message ?? error.code ?? error.message).then(String);
    Promise.all([${ways.map((way) => `tell(() => ${way})`).join(',')}]).then((all) => { console.log(JSON.stringify(all)); process.exit(); });`;
  const { stdout } = await run(process.execPath, ['-r', register, '-e', program]);
  return JSON.parse(stdout);
}

const WAYS = [
  `require('net').connect(port, '127.0.0.1')`,
  `require('net').connect({ port, host: '127.0.0.1' })`,
  `require('net').connect({ port, host: 'localhost' })`,
  `new (require('net').Socket)().connect(port, '127.0.0.1')`,
  `require('http').get('http://127.0.0.1:' + port)`,
  `fetch('http://localhost:' + port)`,
];

describe('a process whose connections are guarded', () => {
  it('reaches no address that is refused, by whatever library', async () => {
    const policy = { allowPrivate: true, allowInsecure: false };
    const answers = await attempts(policy, ...WAYS, `require('tls').connect(port, '127.0.0.1')`);
    expect(answers).toEqual([...WAYS, ''].map(() => expect.stringMatching(/its network must not be used/)));
  });

  it('reaches no metadata service, unix socket that is not named, or anything by datagrams', async () => {
    const policy = { allowPrivate: true, allowInsecure: true };
    const answers = await attempts(
      policy,
      `fetch('http://169.254.169.254/latest')`,
      `require('net').connect('/run/other.sock')`,
      `require('dgram').createSocket('udp4').send('x', 53, '1.1.1.1')`,
    );
    expect(answers).toEqual([1, 2, 3].map(() => expect.stringMatching(/must not be used/)));
  });

  it('reaches what is allowed', async () => {
    const answers = await attempts(
      { allowPrivate: true, allowInsecure: true },
      ...WAYS,
      `require('net').connect('/run/named.sock')`,
    );
    expect(answers).toEqual([...WAYS.map(() => 'reached'), 'ENOENT']);
  });
});
