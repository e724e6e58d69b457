import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { type Server, createServer } from 'node:net';
import { type GitHttpServer, type UpstreamRepository, gitIn, startGitHttpServer } from '@plinth/testing';
import {
  type BareRepository,
  type RemoteAccess,
  RemoteAuthenticationError,
  RemoteContentError,
  RemoteRejectedError,
  RemoteTooLargeError,
  RemoteTransport,
  RemoteUnreachableError,
  upstreamRef,
} from '..';
import { commitFile, rejection, type Remotes, remoteSettings as settings, startRemotes } from './remote-fixture';

const credentials = { username: 'x-access-token', password: 'hush-hush-token' };
const transport = new RemoteTransport(settings);

let remotes: Remotes;
let repository: BareRepository;
let upstream: UpstreamRepository;
let server: GitHttpServer;
let access: RemoteAccess;

beforeAll(async () => {
  remotes = startRemotes();
  server = await startGitHttpServer({ repositories: remotes.root, credentials });
});
afterAll(async () => {
  await server.stop();
  await remotes.stop();
});
beforeEach(async () => {
  const pair = await remotes.newPair();
  ({ repository, upstream } = pair);
  access = { url: `${server.url}/${pair.name}.git`, credential: { kind: 'basic', ...credentials } };
});

const leftovers = () => readdirSync(repository.directory).filter((name) => name.startsWith('incoming-'));

describe('credentials over HTTP', () => {
  it('are refused by type, and appear in no error', async () => {
    upstream.commit('main', { 'model/a.yml': 'a' });
    const wrong = { username: 'x-access-token', password: 'wrong-secret' };
    const error = await rejection(transport.list(repository, { ...access, credential: { kind: 'basic', ...wrong } }));
    expect(error).toBeInstanceOf(RemoteAuthenticationError);
    const token = Buffer.from(`x-access-token:wrong-secret`).toString('base64');
    for (const secret of ['wrong-secret', token]) expect(`${error.message} ${error.output}`).not.toContain(secret);
    expect(await rejection(transport.list(repository, { url: access.url }))).toBeInstanceOf(RemoteAuthenticationError);
  });

  it('are not sent on by a redirect', async () => {
    let reached = 0;
    const other = await startGitHttpServer({ repositories: remotes.root, intercept: () => ++reached > 0 && false });
    const moved = await startGitHttpServer({
      repositories: remotes.root,
      intercept: (request, response) => {
        response.writeHead(302, { location: `${other.url}${request.url}` }).end();
        return true;
      },
    });
    const away = { ...access, url: access.url.replace(server.url, moved.url) };
    expect(await rejection(transport.list(repository, away))).toBeInstanceOf(RemoteUnreachableError);
    expect(reached).toBe(0);
    await Promise.all([moved.stop(), other.stop()]);
  });

  it('stand in no argument list, only in the environment of the child', async () => {
    upstream.commit('main', { 'model/a.yml': 'a' });
    const seen: string[] = [];
    const watching = await startGitHttpServer({
      repositories: remotes.root,
      intercept: () => {
        for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
          try {
            seen.push(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
          } catch {
            // The process has ended.
          }
        }
        return false;
      },
    });
    await transport.list(repository, { ...access, url: access.url.replace(server.url, watching.url) });
    await watching.stop();
    expect(seen.filter((line) => line.includes('ls-remote'))).not.toEqual([]);
    const token = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
    expect(seen.filter((line) => line.includes(token) || line.includes(credentials.password))).toEqual([]);
  });
});

describe('addresses', () => {
  it('of this machine, http and files are refused unless allowed', async () => {
    const strict = new RemoteTransport({ ...settings, allowInsecure: false });
    for (const url of [access.url, `file://${upstream.directory}`, 'https://127.0.0.1/a.git', 'https://localhost/a']) {
      expect((await rejection(strict.list(repository, { url }))).name).toBe('InvalidRemoteUrlError');
    }
  });

  it('without a repository are told from refused credentials', async () => {
    const missing = { ...access, url: `${server.url}/none.git` };
    expect((await rejection(transport.list(repository, missing))).message).toMatch(/no such repository/);
    const closed = await startGitHttpServer({ repositories: remotes.root });
    await closed.stop();
    const gone = { ...access, url: `${closed.url}/none.git` };
    expect(await rejection(transport.list(repository, gone))).toBeInstanceOf(RemoteUnreachableError);
  });
});

describe('a server that does not answer', () => {
  let silent: Server;
  let url: string;
  beforeAll(async () => {
    silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(silent.address() as { port: number }).port}/a.git`;
  });
  afterAll(() => void silent.close());

  it('costs no more than the deadline', async () => {
    const impatient = new RemoteTransport({ ...settings, timeoutMs: 500 });
    const error = await rejection(impatient.list(repository, { url }));
    expect(error).toEqual(new RemoteUnreachableError('The git server did not finish within 0.5 seconds.'));
  });

  it('is left at once when the caller gives up', async () => {
    const giveUp = new AbortController();
    const listing = rejection(transport.list(repository, { url }, giveUp.signal));
    giveUp.abort(new Error('enough'));
    expect((await listing).message).toBe('enough');
  });
});

describe('listing', () => {
  it('says nothing of an empty repository', async () => {
    expect(await transport.list(repository, access)).toEqual({ branches: [], defaultBranch: null });
  });

  it('names the branches and the default one, but no tags', async () => {
    const main = upstream.commit('main', { a: '1' });
    const other = upstream.commit('team/x', { a: '2' });
    gitIn(upstream.directory, ['tag', 'v1', main]);
    expect(await transport.list(repository, access)).toEqual({
      branches: [
        { name: 'main', head: main },
        { name: 'team/x', head: other },
      ],
      defaultBranch: 'main',
    });
  });
});

describe('fetching', () => {
  it('fails as a whole for a missing branch', async () => {
    upstream.commit('main', { a: '1' });
    const error = await rejection(transport.fetch(repository, access, { branches: ['main', 'none'] }));
    expect(error).toBeInstanceOf(RemoteRejectedError);
    expect(await repository.resolveRef(upstreamRef('main'))).toBeNull();
    expect(leftovers()).toEqual([]);
  });

  it('stops at the limit and keeps nothing', async () => {
    upstream.commit('main', { a: randomBytes(6 * 1024 * 1024).toString('base64') });
    const small = new RemoteTransport({ ...settings, maxFetchBytes: 1024 * 1024 });
    const error = await rejection(small.fetch(repository, access, { branches: ['main'] }));
    expect(error).toEqual(new RemoteTooLargeError('The remote repository is larger than the 1 MiB allowed.'));
    expect(leftovers()).toEqual([]);
    expect(await repository.resolveRef(upstreamRef('main'))).toBeNull();
  });

  it('refuses a tree with .git in it, in any case', async () => {
    const blob = gitIn(upstream.directory, ['hash-object', '-w', '--stdin'], 'x');
    for (const name of ['.git', '.GIT', '.Git']) {
      const tree = gitIn(upstream.directory, ['mktree'], `100644 blob ${blob}\t${name}\n`);
      const commit = gitIn(upstream.directory, ['commit-tree', tree, '-m', 'bad']);
      gitIn(upstream.directory, ['update-ref', 'refs/heads/main', commit]);
      const error = await rejection(transport.fetch(repository, access, { branches: ['main'] }));
      expect(error).toBeInstanceOf(RemoteContentError);
    }
    expect(leftovers()).toEqual([]);
  });

  it('keeps nothing that its caller does not accept', async () => {
    const head = upstream.commit('main', { a: '1' });
    const accept = async (incoming: BareRepository, heads: ReadonlyMap<string, string>) => {
      const files = await incoming.readTree(heads.get('main') ?? '');
      throw new Error(`refused ${files.map(({ path }) => path).join()}`);
    };
    const error = await rejection(transport.fetch(repository, access, { branches: ['main'], accept }));
    expect(error.message).toBe('refused a');
    expect(leftovers()).toEqual([]);
    await expect(repository.readTree(head)).rejects.toThrow('No commit');
  });

  it('brings whole histories of the chosen branches, again and again', async () => {
    const first = upstream.commit('main', { 'model/a.yml': '1' });
    upstream.commit('other', { huge: 'x' });
    expect(await transport.fetch(repository, access, { branches: ['main'] })).toEqual(new Map([['main', first]]));
    const second = upstream.commit('main', { 'model/a.yml': '2' });
    await transport.fetch(repository, access, { branches: ['main'] });
    expect(await repository.resolveRef(upstreamRef('main'))).toBe(second);
    expect(await repository.resolveRef(upstreamRef('other'))).toBeNull();
    expect(await repository.isAncestor(first, second)).toBe(true);
    expect((await repository.fileAt(second, 'model/a.yml')).toString()).toBe('2');
    await repository.fsck();
  });

  it('follows a branch that was rewritten, and a name that became a folder', async () => {
    upstream.commit('team', { a: '1' });
    await transport.fetch(repository, access, { branches: ['team'] });
    upstream.deleteBranch('team');
    const head = upstream.commit('team/x', { a: '2' });
    await transport.fetch(repository, access, { branches: ['team/x'] });
    expect(await repository.resolveRef(upstreamRef('team/x'))).toBe(head);
  });

  it('may run many times at once', async () => {
    const main = upstream.commit('main', { a: '1' });
    const fetches = Array.from({ length: 4 }, () => transport.fetch(repository, access, { branches: ['main'] }));
    for (const heads of await Promise.all(fetches)) expect(heads.get('main')).toBe(main);
    await repository.fsck();
  });
});

describe('pushing', () => {
  it('refuses when the branch is elsewhere, and changes nothing', async () => {
    const head = await commitFile(repository, 'main', null, '1');
    const theirs = upstream.commit('main', { b: '2' });
    for (const oldOid of [null, head]) {
      const error = await rejection(transport.push(repository, access, { branch: 'main', newOid: head, oldOid }));
      expect(error).toMatchObject({ name: 'RemoteRejectedError', moved: true });
    }
    expect(upstream.head('main')).toBe(theirs);
  });

  it('tells a change that the server refuses from a branch that has moved', async () => {
    gitIn(upstream.directory, ['config', 'receive.denyDeletes', 'true']);
    const head = upstream.commit('main', { a: '1' });
    const error = await rejection(transport.push(repository, access, { branch: 'main', newOid: null, oldOid: head }));
    expect(error).toMatchObject({ name: 'RemoteRejectedError', moved: false });
    expect(error.message).toContain('deletion prohibited');
  });

  it('creates, moves and deletes a branch; a repetition is no error', async () => {
    const first = await commitFile(repository, 'main', null, '1');
    await transport.push(repository, access, { branch: 'main', newOid: first, oldOid: null });
    const second = await commitFile(repository, 'main', first, '2');
    for (let time = 0; time < 2; time++) {
      await transport.push(repository, access, { branch: 'main', newOid: second, oldOid: first });
      expect(upstream.head('main')).toBe(second);
    }
    expect(await repository.resolveRef(upstreamRef('main'))).toBe(second);
    await transport.push(repository, access, { branch: 'dev', newOid: first, oldOid: null });
    await transport.push(repository, access, { branch: 'dev', newOid: null, oldOid: first });
    expect(upstream.head('dev')).toBeNull();
    expect(await repository.resolveRef(upstreamRef('dev'))).toBeNull();
  });
});
