import { BlockList, isIP, isIPv6 } from 'node:net';

/** Which addresses a host that a user names may have. */
export interface AddressPolicy {
  /** Private networks (RFC 1918, RFC 4193, RFC 6598). */
  allowPrivate: boolean;
  /** The machine itself as well. */
  allowInsecure: boolean;
}

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Subnets, also as a list that addresses are looked up in. */
interface Subnets {
  subnets: readonly string[];
  list: BlockList;
}

function blockList(...subnets: readonly string[]): Subnets {
  const list = new BlockList();
  for (const subnet of subnets) {
    const { net, prefix } = parts(subnet);
    list.addSubnet(net, prefix, family(net));
  }
  return { subnets, list };
}

function parts(subnet: string): { net: string; prefix: number } {
  const [net = '', prefix = ''] = subnet.split('/');
  return { net, prefix: Number(prefix) };
}

/** Where clouds hand credentials and set-up data to their machines. No setting opens these. */
const metadataServices = blockList(
  // AWS, Azure, Google, Oracle, DigitalOcean, Hetzner, IBM, OpenStack, Scaleway, Tencent; roles of ECS and EKS.
  '169.254.0.0/16',
  'fe80::/10',
  // AWS: metadata, EKS pod identity, name and time service
  'fd00:ec2::/32',
  // Azure's host agent, on a public address
  '168.63.129.16/32',
  // Google
  'fd20:ce::254/128',
  // Alibaba
  '100.100.100.200/32',
  'fd00:100::100:200/128',
  // Oracle
  '192.0.0.192/32',
  'fd00:c1::a9fe:a9fe/128',
  // Akamai (Linode)
  'fd00:a9fe:a9fe::1/128',
  // Scaleway
  'fd00:42::42/128',
);
const loopback = blockList('127.0.0.0/8', '::1/128');
const privateNetworks = blockList('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7');

/** All unicast addresses of IPv4, and what of IPv6 is allocated for global use (RFC 4291). */
const unicast = { ipv4: blockList('0.0.0.0/1', '128.0.0.0/2', '192.0.0.0/3'), ipv6: blockList('2000::/3') };
/**
 * Ranges of the IANA special-purpose address registries (RFC 6890) that lie within those. Addresses that stand for IPv4
 * ones could stand for any.
 */
const specialPurpose = blockList(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  // Protocol assignments, with Teredo and ORCHID
  '2001::/23',
  '2001:db8::/32',
  // 6to4
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
);

/**
 * Whether the policy lets the platform connect to the IP address: it is for global use, or of a kind that the policy names.
 * What is not known to be harmless is refused.
 */
export function isAllowedAddress(address: string, { allowPrivate, allowInsecure }: AddressPolicy): boolean {
  if (isIP(address) === 0) return false;
  const inList = ({ list }: Subnets) => list.check(address, family(address));
  if (inList(metadataServices)) return false;
  if (inList(loopback)) return allowInsecure;
  if (inList(privateNetworks)) return allowPrivate || allowInsecure;
  return inList(unicast[family(address)]) && !inList(specialPurpose);
}

/**
 * What {@link isAllowedAddress} passes, as blocks for firewalls, each with what is left out of it.
 *
 * @param closed CIDRs that are left out besides
 */
export function addressBlocks(
  { allowPrivate }: Pick<AddressPolicy, 'allowPrivate'>,
  closed: readonly string[] = [],
): { cidr: string; except: string[] }[] {
  const privates = allowPrivate ? privateNetworks.subnets : [];
  const opened = [
    ...unicast.ipv4.subnets,
    ...unicast.ipv6.subnets,
    ...privates.filter((subnet) => isIPv6(netOf(subnet))),
  ];
  const refused = specialPurpose.subnets.filter((subnet) => !privates.includes(subnet));
  const isClosed = (cidr: string): boolean => closed.some((each) => each === cidr || isWithin(cidr, each));
  return opened
    .filter((cidr) => !isClosed(cidr))
    .map((cidr) => ({
      cidr,
      except: [...new Set([...refused, ...metadataServices.subnets, ...closed])].filter((subnet) =>
        isWithin(subnet, cidr),
      ),
    }));
}

const netOf = (subnet: string): string => parts(subnet).net;

function isWithin(inner: string, outer: string): boolean {
  const [small, large] = [parts(inner), parts(outer)];
  if (family(small.net) !== family(large.net) || small.prefix <= large.prefix) return false;
  return blockList(outer).list.check(small.net, family(small.net));
}
