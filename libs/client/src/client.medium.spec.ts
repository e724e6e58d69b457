import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, listItems, PlinthError, unwrap } from './index';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const json = (status: number, body: object, headers: Record<string, string> = {}): Answer => {
  return (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};
const cut: Answer = (request) => void request.socket.destroy();

describe(createClient.name, () => {
  let server: Server;
  let answers: Answer[];
  let seen: { method: string | undefined; url: string | undefined; key: unknown; credential: unknown }[];

  beforeEach(async () => {
    [answers, seen] = [[], []];
    server = createServer((request, response) => {
      const { method, url, headers } = request;
      seen.push({ method, url, key: headers['idempotency-key'], credential: headers.authorization });
      request.resume().on('end', () => (answers.shift() ?? json(500, {}))(request, response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const client = (retries?: number) =>
    createClient({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      apiKey: 'sk-1',
      ...(retries !== undefined && { retries }),
    });
  const branch = (of = client()) =>
    of.POST('/build/api/v1/deployments/{deploymentId}/branches', {
      params: { path: { deploymentId: 7 } },
      body: { name: 'next' },
    });

  it('throws what the platform says of a request that it refuses, and does not repeat it', async () => {
    answers = [json(404, { message: 'Deployment 7 does not exist', code: 'deployment.not_found', requestId: 'r-1' })];
    const refusal = await unwrap(branch()).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(PlinthError);
    expect(refusal).toMatchObject({ status: 404, code: 'deployment.not_found', requestId: 'r-1' });
    expect(seen).toHaveLength(1);
  });

  it('gives up after as many repeats as it may make', async () => {
    answers = [cut, cut];
    await expect(branch(client(1))).rejects.toThrow();
    expect(seen).toHaveLength(2);
  });

  it('repeats a write that broke off or met an instance that was going away, with the same key', async () => {
    answers = [cut, json(503, {}, { 'retry-after': '0' }), json(200, { active: false, branchName: 'next' })];
    expect(await unwrap(branch())).toMatchObject({ branchName: 'next' });
    expect(seen.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST']);
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
    expect(seen[0]).toMatchObject({
      url: '/build/api/v1/deployments/7/branches',
      key: expect.stringMatching(/^[0-9a-f-]{36}$/),
      credential: 'Bearer sk-1',
    });
  });

  it('keeps a key that the caller chose, and sends none when it reads', async () => {
    answers = [json(200, {}), json(200, { items: [] })];
    await client().POST('/build/api/v1/deployments/{deploymentId}/branches', {
      params: { path: { deploymentId: 7 } },
      body: { name: 'next' },
      headers: { 'Idempotency-Key': 'mine' },
    });
    await client().GET('/api/v1/regions');
    expect(seen.map(({ key }) => key)).toEqual(['mine', undefined]);
  });

  it('reads a list page by page, and no page that nobody asks for', async () => {
    const page = (id: number, endCursor: string | null) =>
      json(200, { items: [{ id }], pageInfo: { hasNextPage: endCursor !== null, endCursor } });
    answers = [page(1, 'c1'), page(2, 'c2'), page(3, null)];
    const ids: number[] = [];
    for await (const { id } of listItems(client(), '/api/v1/deployments')) {
      ids.push(id);
      if (id === 2) break;
    }
    expect(ids).toEqual([1, 2]);
    expect(seen.map(({ url }) => url)).toEqual([
      '/api/v1/deployments?first=100',
      '/api/v1/deployments?first=100&after=c1',
    ]);
  });
});
