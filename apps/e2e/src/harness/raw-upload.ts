import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { ApiClient } from './api-client';

/** A multipart upload as bytes on a connection, to be broken off wherever a test likes. */
export function uploadBytes(api: ApiClient, deploymentId: number, transaction: string, content: Buffer): Buffer {
  const boundary = 'raw-upload';
  const part = (name: string, value: string, more = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}`;
  const body = Buffer.concat([
    Buffer.from(`${part('transaction', transaction)}\r\n${part('fileName', 'model/raw.yml')}\r\n`),
    Buffer.from(part('file', '', '; filename="raw.yml"')),
    content,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  const head = [
    `POST /build/api/v1/deployments/${deploymentId}/data-model/upload/file HTTP/1.1`,
    `host: ${new URL(api.baseUrl).host}`,
    `authorization: ${api.credential}`,
    `content-type: multipart/form-data; boundary=${boundary}`,
    `content-length: ${body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
}

/** Sends the bytes and goes away without waiting for an answer: `reset` drops the connection, `end` closes it politely. */
export function sendAndLeave(api: ApiClient, bytes: Buffer, how: 'reset' | 'end'): Promise<void> {
  const { hostname, port } = new URL(api.baseUrl);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined).on('close', () => resolve());
    socket.write(bytes, () => (how === 'reset' ? socket.resetAndDestroy() : socket.end()));
    socket.resume();
  });
}

/** Connections that the public port has, as the kernel counts them. */
export function openConnections(api: ApiClient): number {
  const port = Number(new URL(api.baseUrl).port).toString(16).toUpperCase().padStart(4, '0');
  const [established, closeWait] = ['01', '08'];
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(`:${port}`) && [established, closeWait].includes(state ?? ''))
    .length;
}

/** Memory of a process that is in RAM, in bytes. */
export const residentBytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
