import { join } from 'node:path';
import { type GitSshServer, type UpstreamRepository, hasSshServer, startGitSshServer } from '@plinth/testing';
import {
  type BareRepository,
  type RemoteAccess,
  RemoteAuthenticationError,
  RemoteTransport,
  RemoteUnreachableError,
  generateSshKeyPair,
} from '..';
import { commitFile, rejection, type Remotes, remoteSettings, startRemotes } from './remote-fixture';

const transport = new RemoteTransport(remoteSettings);

(hasSshServer ? describe : describe.skip)('remotes over SSH (needs sshd: openssh-server on Debian)', () => {
  const keys = generateSshKeyPair('plinth test');
  let remotes: Remotes;
  let ssh: GitSshServer;
  let repository: BareRepository;
  let upstream: UpstreamRepository;
  let access: RemoteAccess;

  beforeAll(async () => {
    remotes = startRemotes();
    ssh = await startGitSshServer();
  });
  afterAll(async () => {
    await ssh.stop();
    await remotes.stop();
  });
  beforeEach(async () => {
    ({ repository, upstream } = await remotes.newPair());
    ssh.authorize(keys.publicKey);
    access = { url: ssh.url(upstream.directory), credential: { kind: 'ssh-key', privateKey: keys.privateKey } };
  });

  it('an unknown key is refused', async () => {
    const stranger = { kind: 'ssh-key' as const, privateKey: generateSshKeyPair('other').privateKey };
    const error = await rejection(transport.list(repository, { ...access, credential: stranger }));
    expect(error).toBeInstanceOf(RemoteAuthenticationError);
    expect(await rejection(transport.list(repository, { url: access.url }))).toBeInstanceOf(RemoteAuthenticationError);
  });

  it('a missing repository is told', async () => {
    const missing = { ...access, url: ssh.url(join(remotes.root, 'none.git')) };
    expect((await rejection(transport.list(repository, missing))).message).toMatch(/no such repository/);
  });

  it('a host that shows another key than at first contact is refused', async () => {
    upstream.commit('main', { a: '1' });
    await transport.list(repository, access);
    const port = new URL(access.url).port;
    const impostor = await startGitSshServer();
    impostor.authorize(keys.publicKey);
    const error = await rejection(
      transport.list(repository, { ...access, url: access.url.replace(port, new URL(impostor.url('/')).port) }),
    );
    await impostor.stop();
    expect(error).toBeInstanceOf(RemoteUnreachableError);
    expect(error.message).toMatch(/host key/);
  });

  it('branches are listed, fetched and pushed', async () => {
    const first = upstream.commit('main', { a: '1' });
    expect(await transport.list(repository, access)).toMatchObject({ defaultBranch: 'main' });
    await transport.fetch(repository, access, { branches: ['main'] });
    await repository.createBranch('main', first);
    const second = await commitFile(repository, 'main', first, '2');
    await transport.push(repository, access, { branch: 'main', newOid: second, oldOid: first });
    expect(upstream.head('main')).toBe(second);
  });
});
