import { lookup as resolve } from 'node:dns';
import dgram from 'node:dgram';
import net, { isIP, type LookupFunction } from 'node:net';
import { type AddressPolicy, isAllowedAddress } from './address-policy';
import { EgressError } from './egress-error';

/** Answers with the addresses of a name, all of which have to be allowed. */
export const checkedLookup =
  (policy: AddressPolicy): LookupFunction =>
  (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) return callback(error ?? new Error(`${host} has no address`), []);
      if (!addresses.every(({ address }) => isAllowedAddress(address, policy))) {
        return callback(new EgressError('address-refused', host), []);
      }
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };

type Connect = typeof net.Socket.prototype.connect;
interface Target extends Partial<net.TcpNetConnectOpts> {
  /** Absent, null or empty, where it is no unix socket. */
  path?: string | null;
}

/**
 * Has every connection of this process checked, for good, whoever makes it: libraries connect in their own ways. The address
 * that was checked is the one connected to. Unix sockets are refused but for those named, and so are datagrams; what a
 * binary module does by itself is not seen.
 */
export function guardConnections(policy: AddressPolicy, sockets: readonly string[] = []): void {
  const { connect } = net.Socket.prototype;
  const guarded = function (this: net.Socket, ...args: unknown[]): net.Socket {
    const [target, listener] = targetOf(args);
    const refusal = refusalOf(target, policy, sockets);
    if (refusal) {
      process.nextTick(() => this.destroy(refusal));
      return this;
    }
    const checked = target.path ? target : { ...target, lookup: checkedLookup(policy) };
    return (connect as (...all: unknown[]) => net.Socket).call(this, checked, listener);
  };
  replace(net.Socket.prototype, 'connect', guarded as Connect);
  for (const method of ['send', 'connect'] as const) {
    replace(dgram.Socket.prototype, method, () => {
      throw new EgressError('address-refused', 'datagrams');
    });
  }
}

/** What `connect` was called with, in each of its ways: options, a port and a host, a path, or Node's own array of these. */
function targetOf(args: unknown[]): [Target, unknown] {
  const [first, ...rest] = (Array.isArray(args[0]) ? args[0] : args) as unknown[];
  const listener = rest.find((each) => typeof each === 'function');
  if (typeof first === 'object' && first !== null) return [first, listener];
  if (typeof first === 'string' && !/^\d+$/.test(first)) return [{ path: first }, listener];
  const host = typeof rest[0] === 'string' ? { host: rest[0] } : {};
  return [{ port: Number(first), ...host }, listener];
}

function refusalOf({ path, host }: Target, policy: AddressPolicy, sockets: readonly string[]): Error | undefined {
  if (path) {
    return sockets.includes(path) ? undefined : new EgressError('address-refused', 'unix socket');
  }
  const name = (host ?? 'localhost').replace(/^\[|\]$/g, '');
  // A name is checked when it is resolved; sockets do not resolve what is an address already.
  if (isIP(name) === 0 || isAllowedAddress(name, policy)) return undefined;
  return new EgressError('address-refused', name);
}

function replace<T extends object, Name extends keyof T>(target: T, name: Name, value: T[Name]): void {
  Object.defineProperty(target, name, { value, writable: false, configurable: false });
}
