import * as dgram from 'node:dgram';
import * as dns from 'node:dns';
import * as net from 'node:net';

const refuse = (): never => {
  throw new Error('A data model may not use the network or the process');
};

const FORBIDDEN = [
  ...['exit', 'reallyExit', 'abort', 'kill', '_kill', '_debugProcess', 'dlopen', 'binding', '_linkedBinding'],
  ...['send', 'disconnect', 'chdir', 'umask', 'setuid', 'setgid', 'seteuid', 'setegid', 'setgroups', 'initgroups'],
];
const HIDDEN = ['mainModule', 'getBuiltinModule'];

/**
 * Takes from this process what a data model has no use for. Model code runs in a VM context, which is no boundary: whoever
 * climbs out of it finds no network, no environment, no way to talk to the parent, and, by the permission model that the
 * parent starts this process with, no files beyond the compiler's own and no processes or threads.
 */
export function sealProcess(): void {
  replace(net.Socket.prototype, 'connect', refuse);
  replace(net.Server.prototype, 'listen', refuse);
  for (const method of ['send', 'bind', 'connect'] as const) replace(dgram.Socket.prototype, method, refuse);
  for (const resolver of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
    for (const name of Object.getOwnPropertyNames(resolver)) {
      if (/^(?:lookup|resolve|reverse)/.test(name)) replace(resolver, name, refuse);
    }
  }
  for (const name of FORBIDDEN) replace(process, name, refuse);
  for (const name of HIDDEN) replace(process, name, undefined);
  Object.defineProperty(process, 'env', { value: Object.freeze({}), writable: false, configurable: false });
}

function replace(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: false, configurable: false });
}
