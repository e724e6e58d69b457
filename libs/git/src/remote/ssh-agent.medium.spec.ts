import { existsSync, readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { startSshAgent } from './ssh-agent';
import { generateSshKeyPair, sshFingerprint } from './ssh-key';

const keys = generateSshKeyPair('agent test');

describe('the agent', () => {
  it('keeps nothing but a socket on the disk, out of the reach of others, and takes it away', async () => {
    const { socketPath, close } = await startSshAgent(keys.privateKey);
    const folder = dirname(socketPath);
    expect(readdirSync(folder, { withFileTypes: true }).map((entry) => entry.isSocket())).toEqual([true]);
    expect(statSync(folder).mode & 0o077).toBe(0);
    await close();
    expect(existsSync(folder)).toBe(false);
  });

  it.each([
    ['an empty message', Buffer.from([0, 0, 0, 0])],
    ['a message without end', Buffer.from([0xff, 0xff, 0xff, 0xff])],
  ])('hangs up on %s', async (_, message) => {
    const { socketPath, close } = await startSshAgent(keys.privateKey);
    const socket = connect(socketPath);
    const closed = new Promise((resolve) => socket.once('close', () => resolve('closed')).on('error', () => undefined));
    socket.write(message);
    expect(await closed).toBe('closed');
    await close();
  });

  it('signs for no other key and answers nothing else', async () => {
    const { socketPath, close } = await startSshAgent(keys.privateKey);
    const ask = (message: Buffer) =>
      new Promise<Buffer>((resolve) => {
        const socket = connect(socketPath);
        socket.once('data', (data: Buffer) => {
          socket.destroy();
          resolve(data);
        });
        socket.write(message);
      });
    const refused = Buffer.from([0, 0, 0, 1, 5]);
    expect(await ask(Buffer.from([0, 0, 0, 1, 17]))).toEqual(refused);
    expect(await ask(Buffer.from([0, 0, 0, 11, 13, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1]))).toEqual(refused);
    await close();
  });
});

it('a key is shown with the fingerprint of its public half', () => {
  expect(keys.publicKey).toMatch(/^ssh-ed25519 AAAAC3NzaC1lZDI1NTE5\S+ agent-test$/);
  expect(sshFingerprint(keys.publicKey)).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/);
});
