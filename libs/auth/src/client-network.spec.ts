import { clientNetwork } from './client-network';

describe('clientNetwork', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['2600:1:2:3:4:5:6:7', '2600:1:2:3::/64'],
    ['2600:1:2:3::', '2600:1:2:3::/64'],
    ['2600:0001:2:3::9', '2600:1:2:3::/64'],
    ['2600::9', '2600:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
    ['unknown', 'unknown'],
  ])('counts %j with %j', (address, expected) => {
    expect(clientNetwork(address)).toBe(expected);
  });
});
