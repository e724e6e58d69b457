import { sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { own } from '@plinth/streams';
import { readSshPrivateKey, sshPublicKeyBlob, sshString } from './ssh-key';

/** A running agent: `ssh` asks it for signatures, so the private key never leaves this process. */
export interface SshAgent {
  socketPath: string;
  close(): Promise<void>;
}

// Message numbers of draft-ietf-sshm-ssh-agent.
const FAILURE = 5;
const REQUEST_IDENTITIES = 11;
const IDENTITIES_ANSWER = 12;
const SIGN_REQUEST = 13;
const SIGN_RESPONSE = 14;
const MAX_MESSAGE_BYTES = 256 * 1024;

/** Offers one ed25519 key on a socket that only this user can open. */
export async function startSshAgent(privateKeyPem: string): Promise<SshAgent> {
  const key = readSshPrivateKey(privateKeyPem);
  const directory = await mkdtemp(join(tmpdir(), 'plinth-agent-'));
  const socketPath = join(directory, 'socket');
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    own(socket, () => socket.destroy()).on('close', () => sockets.delete(socket));
    serve(socket, key);
  });
  server.listen(socketPath);
  await once(server, 'listening');
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await rm(directory, { recursive: true, force: true });
  };
  return { socketPath, close };
}

function serve(socket: Socket, key: KeyObject): void {
  let received = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 4) {
      const length = received.readUInt32BE();
      if (length === 0 || length > MAX_MESSAGE_BYTES) return void socket.destroy();
      if (received.length < 4 + length) return;
      socket.write(sshString(answer(received.subarray(4, 4 + length), key)));
      received = received.subarray(4 + length);
    }
  });
}

function answer(message: Buffer, key: KeyObject): Buffer {
  const blob = sshPublicKeyBlob(key);
  if (message[0] === REQUEST_IDENTITIES) {
    return Buffer.concat([Buffer.from([IDENTITIES_ANSWER, 0, 0, 0, 1]), sshString(blob), sshString('')]);
  }
  const [wanted, data] = message[0] === SIGN_REQUEST ? strings(message.subarray(1)) : [];
  if (!data || !wanted?.equals(blob)) return Buffer.from([FAILURE]);
  const signature = Buffer.concat([sshString('ssh-ed25519'), sshString(sign(null, data, key))]);
  return Buffer.concat([Buffer.from([SIGN_RESPONSE]), sshString(signature)]);
}

/** The first two strings of a message; what does not fit is left out. */
function strings(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; found.length < 2 && at + 4 <= bytes.length;) {
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    found.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return found;
}
