import { lookup } from 'node:dns/promises';
import { isAllowedAddress, type AddressPolicy } from '@plinth/egress';
import { RemoteUnreachableError } from './remote-error';
import { InvalidRemoteUrlError, type RemoteUrl } from './remote-url';

/**
 * The addresses of a remote's host. They are handed to git, so that no later answer of the name service can lead elsewhere.
 *
 * @throws RemoteUnreachableError when the name has no address
 * @throws InvalidRemoteUrlError when one of them is not allowed
 */
export async function allowedAddresses({ host }: RemoteUrl, policy: AddressPolicy): Promise<string[]> {
  const found = await lookup(host, { all: true, verbatim: true }).catch((error: Error) => {
    throw new RemoteUnreachableError(`The name of the git server, ${host}, has no address.`, error.message);
  });
  const addresses = found.map(({ address }) => address);
  if (!addresses.every((address) => isAllowedAddress(address, policy))) {
    throw new InvalidRemoteUrlError(`The git server ${host} is in a network that remotes must not use.`);
  }
  return addresses;
}
