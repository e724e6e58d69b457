import { BlockList, isIPv6 } from 'node:net';

/** Which addresses a host that a user names may have. */
export interface AddressPolicy {
  /** Private networks (RFC 1918, RFC 4193, RFC 6598). */
  allowPrivate: boolean;
  /** The machine itself as well. */
  allowInsecure: boolean;
}

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

function blockList(...subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net = '', prefix = ''] = subnet.split('/');
    list.addSubnet(net, Number(prefix), family(net));
  }
  return list;
}

const privateNetworks = blockList('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7');
const loopback = blockList('127.0.0.0/8', '::1/128');
// "This network", link-local (cloud metadata lives there), protocol assignments, benchmarking, multicast and reserved;
// translated addresses could stand for any of them.
const neverUsed = blockList(
  '0.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '198.18.0.0/15',
  '224.0.0.0/3',
  '::/128',
  '64:ff9b::/96',
  'fe80::/10',
  'ff00::/8',
);

/** Whether the policy lets the platform connect to the IP address. */
export function isAllowedAddress(address: string, { allowPrivate, allowInsecure }: AddressPolicy): boolean {
  const inList = (list: BlockList) => list.check(address, family(address));
  if (inList(neverUsed)) return false;
  if (inList(loopback)) return allowInsecure;
  return allowPrivate || allowInsecure || !inList(privateNetworks);
}
