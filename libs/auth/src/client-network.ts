import { isIPv6 } from 'node:net';

/**
 * What stands for the client behind an IP address wherever requests of one client are counted: an IPv4 address itself,
 * also when it is written as IPv6, and of an IPv6 address the first 64 bits, for a client has all addresses below them.
 * Any other text stands for itself.
 */
export function clientNetwork(address: string): string {
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return address;
  const groups = groupsOf(plain);
  const isMapped = groups.slice(0, 6).join() === '0,0,0,0,0,65535';
  if (isMapped) return groups.slice(6).flatMap(bytesOf).join('.');
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

const bytesOf = (group: number): number[] => [group >> 8, group & 0xff];

/** The eight groups of an IPv6 address. A URL knows how to write the last two as one IPv4 address, among others. */
function groupsOf(address: string): number[] {
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const numbers = (part: string) => (part === '' ? [] : part.split(':').map((group) => parseInt(group, 16)));
  const [first, last] = [numbers(head), numbers(tail)];
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}
