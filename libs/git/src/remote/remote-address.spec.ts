import { allowedAddresses } from './remote-address';
import { InvalidRemoteUrlError } from './remote-url';

const at = (host: string) => ({ text: `https://${host}/a.git`, protocol: 'https' as const, host, port: 443 });
const publicOnly = { allowPrivate: false, allowInsecure: false };
const company = { allowPrivate: true, allowInsecure: false };
const everything = { allowPrivate: true, allowInsecure: true };

describe('allowedAddresses', () => {
  it.each(['10.1.2.3', '172.31.0.1', '192.168.1.1', '100.64.0.1', 'fd00::1', '::ffff:10.0.0.1'])(
    'refuses %s in a private network unless that is allowed',
    async (host) => {
      await expect(allowedAddresses(at(host), publicOnly)).rejects.toThrow(InvalidRemoteUrlError);
      expect(await allowedAddresses(at(host), company)).toEqual([host]);
    },
  );

  it.each(['127.0.0.1', '::1', 'localhost', '::ffff:127.0.0.1'])('refuses the machine itself as %s', async (host) => {
    await expect(allowedAddresses(at(host), company)).rejects.toThrow(InvalidRemoteUrlError);
    expect(await allowedAddresses(at(host), everything)).not.toEqual([]);
  });

  it.each(['169.254.169.254', '0.0.0.0', 'fe80::1', '224.0.0.1', '255.255.255.255', '64:ff9b::a9fe:a9fe', '::'])(
    'never uses %s',
    async (host) => {
      await expect(allowedAddresses(at(host), everything)).rejects.toThrow(InvalidRemoteUrlError);
    },
  );

  it('passes a public address', async () => {
    expect(await allowedAddresses(at('140.82.121.3'), publicOnly)).toEqual(['140.82.121.3']);
  });

  it('says that a name is unknown', async () => {
    await expect(allowedAddresses(at('host.invalid'), publicOnly)).rejects.toThrow('host.invalid, has no address');
  });
});
