// The modules themselves: what is replaced in a namespace is replaced in a copy.
import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';
import { refuse, replace } from './refusal';

/** What libraries and Node itself call on `process` while a model is compiled. */
const ALLOWED = new Set([
  ...['nextTick', 'emitWarning', 'hrtime', 'uptime', 'cwd', 'memoryUsage', 'cpuUsage', 'getuid'],
  ...['_tickCallback', '_fatalException', 'hasUncaughtExceptionCaptureCallback', '_rawDebug'],
]);
/** What handles of sockets and resolvers do with the world outside. */
const REACHES_OUT = /^(?:open|listen|(?:bind|connect|send)6?|query\w+|getHostByAddr)$/;
const HIDDEN = ['mainModule', 'report', 'stdin'];

/**
 * Takes from this process what a data model has no use for. Model code runs in a VM context, which is no boundary: whoever
 * climbs out of it finds no network, no environment, no way to talk to the parent, and, by the permission model that the
 * parent starts this process with, no files beyond the compiler's own and no processes or threads.
 */
export function sealProcess(): void {
  sealNetwork();
  // Values alone: to get `stdin` is to open it.
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(process))) {
    if (typeof value === 'function' && !ALLOWED.has(name)) replace(process, name, refuse);
  }
  for (const name of HIDDEN) replace(process, name, undefined);
  Object.defineProperty(process, 'env', { value: Object.freeze({}), writable: false, configurable: false });
}

function sealNetwork(): void {
  // The handles below the sockets can be reached from any stream that the process has, such as its output.
  for (const handle of networkHandles()) {
    for (const name of Object.getOwnPropertyNames(handle)) if (REACHES_OUT.test(name)) replace(handle, name, refuse);
  }
  replace(net.Socket.prototype, 'connect', refuse);
  replace(net.Server.prototype, 'listen', refuse);
  for (const method of ['send', 'bind', 'connect'] as const) replace(dgram.Socket.prototype, method, refuse);
  for (const resolver of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
    for (const name of Object.getOwnPropertyNames(resolver)) {
      if (/^(?:lookup|resolve|reverse)/.test(name)) replace(resolver, name, refuse);
    }
  }
}

/** Prototypes of the handles of TCP, UDP, pipes and resolvers. Node does not export them; each is seen on its user. */
function networkHandles(): object[] {
  const udp = dgram.createSocket('udp4');
  const tcp = new net.Socket().connect({ host: '127.0.0.1', port: 1 });
  const states = Object.getOwnPropertySymbols(udp).map((symbol): unknown => Reflect.get(udp, symbol));
  const handles = [tcp, process.stdout, new dns.Resolver()].map((each) => handleOf(each, '_handle'));
  handles.push(...states.map((state) => handleOf(state, 'handle')));
  // Nothing is sent: the connection is given up before it is begun.
  tcp.destroy();
  udp.close();
  return handles.filter((handle) => handle !== undefined).map((handle) => Object.getPrototypeOf(handle) as object);
}

function handleOf(owner: unknown, name: string): object | undefined {
  const handle: unknown = typeof owner === 'object' && owner !== null ? Reflect.get(owner, name) : undefined;
  return typeof handle === 'object' && handle !== null ? handle : undefined;
}
