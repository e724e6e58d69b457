import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack, type Headers } from 'tar-stream';
import { hubPackage } from './hub';

type Entry = [headers: Headers, content?: string];

/** An archive as the registry's packages come: everything is in one folder. */
async function archive(...entries: readonly Entry[]): Promise<Buffer> {
  const tar = pack();
  for (const [headers, content] of entries) tar.entry(headers, content);
  tar.finalize();
  return gzipSync(await buffer(tar));
}

const file = (name: string, content = 'x'): Entry => [{ name: `utils-1.1.1/${name}` }, content];

describe(hubPackage.name, () => {
  let server: Server;
  let url: string;
  /** What the registry answers, by path. */
  let replies: Record<string, (response: ServerResponse) => void>;
  const wanted = { name: 'acme/utils', version: '1.1.1' };
  const description = '/api/v1/acme/utils/1.1.1.json';
  const limits = { files: 3, bytes: 100 };
  const never = new AbortController().signal;

  beforeAll(async () => {
    server = createServer((request: IncomingMessage, response) => {
      const reply = replies[request.url ?? ''];
      if (reply) return reply(response);
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server?.close();
    server?.closeAllConnections();
  });
  beforeEach(() => {
    replies = { [description]: told({ downloads: { tarball: `${url}/utils.tar.gz` } }) };
  });

  const told = (content: unknown) => (response: ServerResponse) => response.end(JSON.stringify(content));
  const sent = (bytes: Buffer) => (response: ServerResponse) => response.end(bytes);
  const moved = (location: string) => (response: ServerResponse) => response.writeHead(302, { location }).end();
  const open = () => ({ url, allowInsecure: true, allowPrivate: true, timeoutMs: 5_000 });
  const install = (hub = open(), signal = never) => hubPackage(wanted, hub, limits, signal);
  const installed = async (...entries: readonly Entry[]) => {
    replies['/utils.tar.gz'] = sent(await archive(...entries));
    return install();
  };

  it('refuses what it cannot have, and names the package', async () => {
    await expect(install()).rejects.toThrow(
      /^The package acme\/utils 1.1.1 cannot be installed: 127.0.0.1.* answers 404/,
    );
    replies['/utils.tar.gz'] = sent(Buffer.from('no archive'));
    await expect(install()).rejects.toThrow(/does not answer as it should/);
    replies[description] = told({ downloads: {} });
    await expect(install()).rejects.toThrow(/does not answer as it should/);
    replies[description] = (response) => response.end('{');
    await expect(install()).rejects.toThrow(/does not answer as it should/);
  });

  it('refuses more than there is room for, however well it is packed', async () => {
    await expect(installed(file('a'), file('b'), file('c'), file('d'))).rejects.toThrow(/more than 3 files/);
    await expect(installed(file('a', 'x'.repeat(10_000_000)))).rejects.toThrow(/more than 100 bytes/);
    replies[description] = sent(Buffer.alloc(2 * 1024 * 1024, ' '));
    await expect(install()).rejects.toThrow(/cannot be installed/);
  });

  it('asks no address of the private network, nor without encryption, wherever a registry sends it', async () => {
    await expect(install({ ...open(), allowPrivate: false })).rejects.toThrow(/cannot be installed/);
    await expect(install({ ...open(), allowInsecure: false })).rejects.toThrow(/cannot be installed/);
    replies['/utils.tar.gz'] = moved('file:///etc/passwd');
    await expect(install()).rejects.toThrow(/cannot be installed/);
    replies['/utils.tar.gz'] = moved(`${url}/utils.tar.gz`);
    await expect(install()).rejects.toThrow(/from one address to the next/);
  });

  it('does not wait for a registry that is silent, nor for whoever has gone', async () => {
    replies[description] = () => undefined;
    await expect(install({ ...open(), timeoutMs: 50 })).rejects.toThrow(/cannot be installed/);
    const leaving = new AbortController();
    const left = install(open(), leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
  });

  it('has the ordinary files of the archive, without the folder around them', async () => {
    const links: Entry[] = [
      [{ name: 'utils-1.1.1/link', type: 'symlink', linkname: '/etc/passwd' }],
      [{ name: 'utils-1.1.1/hard', type: 'link', linkname: '/etc/passwd' }],
      [{ name: 'utils-1.1.1/folder', type: 'directory' }],
    ];
    const files = await installed(file('dbt_project.yml', 'name: utils'), file('macros/a.sql'), ...links);
    expect(files.map(({ path, content }) => [path, content.toString()])).toEqual([
      ['dbt_project.yml', 'name: utils'],
      ['macros/a.sql', 'x'],
    ]);
    replies['/elsewhere'] = replies['/utils.tar.gz'] as (response: ServerResponse) => void;
    replies['/utils.tar.gz'] = moved('/elsewhere');
    expect(await install()).toEqual(files);
  });
});
