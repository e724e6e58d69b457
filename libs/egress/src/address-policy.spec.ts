import { BlockList, isIPv6 } from 'node:net';
import { addressBlocks, isAllowedAddress } from './address-policy';

const publicOnly = { allowPrivate: false, allowInsecure: false };
const company = { allowPrivate: true, allowInsecure: false };
const everything = { allowPrivate: true, allowInsecure: true };

describe('isAllowedAddress', () => {
  it.each([
    ['169.254.169.254', 'AWS, Azure, Google and most others'],
    ['169.254.170.2', 'AWS, roles of ECS'],
    ['169.254.170.23', 'AWS, roles of EKS'],
    ['169.254.42.42', 'Scaleway'],
    ['fe80::a9fe:a9fe', 'OpenStack'],
    ['fd00:ec2::254', 'AWS'],
    ['fd00:ec2::23', 'AWS, roles of EKS'],
    ['168.63.129.16', 'Azure'],
    ['fd20:ce::254', 'Google'],
    ['100.100.100.200', 'Alibaba'],
    ['fd00:100::100:200', 'Alibaba'],
    ['192.0.0.192', 'Oracle'],
    ['fd00:c1::a9fe:a9fe', 'Oracle'],
    ['fd00:a9fe:a9fe::1', 'Akamai'],
    ['fd00:42::42', 'Scaleway'],
    ['::ffff:169.254.169.254', 'mapped'],
    ['::ffff:6464:64c8', 'Alibaba, mapped'],
    ['64:ff9b::a9fe:a9fe', 'translated'],
    ['2002:a9fe:a9fe::1', 'by 6to4'],
  ])('refuses the metadata service at %s (%s) under every policy', (address) => {
    for (const policy of [publicOnly, company, everything]) expect(isAllowedAddress(address, policy)).toBe(false);
  });

  it.each([
    ['this network', '0.0.0.0', '0.255.255.255'],
    ['protocol assignments', '192.0.0.0', '192.0.0.255'],
    ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.255', '2001:db8::1', '3fff::1', '3fff:fff::1'],
    ['AS112 and AMT', '192.31.196.1', '192.52.193.1', '192.175.48.1', '2620:4f:8000::1'],
    ['6to4', '192.88.99.1', '2002:808:808::1'],
    ['benchmarks', '198.18.0.0', '198.19.255.255', '2001:2::1'],
    ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
    ['what is reserved', '240.0.0.1', '255.255.255.255', '4000::1', '1fff::1', '::'],
    ['Teredo and ORCHID', '2001::1', '2001:10::1', '2001:20::1', '2001:1ff:ffff::1'],
    ['translations', '64:ff9b::808:808', '64:ff9b:1::808:808', '::ffff:0:808:808', '::ffff:8.8.8.8', '::8.8.8.8'],
    ['site-local, discard and segment routing', 'fec0::1', '100::1', '5f00::1'],
    ['what is no address', '', 'localhost', '127.1', '0x7f000001'],
  ])('refuses %s under every policy', (_what, ...addresses) => {
    const passed = addresses.filter((address) => isAllowedAddress(address, everything));
    expect(passed).toEqual([]);
  });

  it.each([
    ['10.0.0.1', 'fd12:3456::1', '172.31.255.255', '192.168.0.1', '100.64.0.1', '100.100.100.201', '::ffff:10.0.0.1'],
  ])('leaves private networks to the policy', (...addresses) => {
    expect(addresses.filter((address) => isAllowedAddress(address, publicOnly))).toEqual([]);
    expect(addresses.filter((address) => isAllowedAddress(address, company))).toEqual(addresses);
  });

  it.each([['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1']])(
    'leaves the machine to the policy',
    (...addresses) => {
      expect(addresses.filter((address) => isAllowedAddress(address, company))).toEqual([]);
      expect(addresses.filter((address) => isAllowedAddress(address, everything))).toEqual(addresses);
    },
  );

  it('passes addresses of global use, up to the edges of what is refused', () => {
    const addresses = ['1.0.0.0', '8.8.8.8', '140.82.121.3', '168.63.129.17', '172.32.0.0', '192.0.1.0', '198.20.0.0'];
    addresses.push('223.255.255.255', '2001:200::1', '2001:4860:4860::8888', '2003::1', '2600::1', '3ffe::1');
    expect(addresses.filter((address) => !isAllowedAddress(address, publicOnly))).toEqual([]);
  });
});

describe('addressBlocks', () => {
  const listOf = (subnets: readonly string[]) => {
    const list = new BlockList();
    for (const subnet of subnets) {
      const [net = '', prefix] = subnet.split('/');
      list.addSubnet(net, Number(prefix), isIPv6(net) ? 'ipv6' : 'ipv4');
    }
    return (address: string) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  };
  /** As a firewall applies them. */
  const passes = (address: string, ...args: Parameters<typeof addressBlocks>) =>
    addressBlocks(...args).some(({ cidr, except }) => listOf([cidr])(address) && !listOf(except)(address));

  it.each(['8.8.8.8', '169.254.169.254', '168.63.129.16', '100.100.100.200', '10.1.2.3', '192.168.0.1', '127.0.0.1'])(
    'passes %s where single addresses are passed',
    (address) => {
      for (const policy of [publicOnly, company])
        expect(passes(address, policy)).toBe(isAllowedAddress(address, policy));
    },
  );

  it.each(['2001:4860:4860::8888', 'fd00:ec2::254', 'fd00:42::42', 'fd12:3456::1', '2001:db8::1', 'fe80::1', '::1'])(
    'passes %s where single addresses are passed, too',
    (address) => {
      for (const policy of [publicOnly, company])
        expect(passes(address, policy)).toBe(isAllowedAddress(address, policy));
    },
  );

  it('leaves out what is closed besides, also when that is everything', () => {
    expect(passes('10.1.2.3', company, ['10.0.0.0/8'])).toBe(false);
    expect(passes('192.168.0.1', company, ['10.0.0.0/8'])).toBe(true);
    expect(addressBlocks(company, ['0.0.0.0/0', '::/0'])).toEqual([]);
  });

  it('leaves out of a block only what is within it, as firewalls demand', () => {
    for (const { cidr, except } of addressBlocks(company, ['10.0.0.0/8'])) {
      const [, size] = cidr.split('/');
      for (const subnet of except) {
        expect(listOf([cidr])(subnet.split('/')[0] ?? '')).toBe(true);
        expect(Number(subnet.split('/')[1])).toBeGreaterThan(Number(size));
      }
    }
  });
});
