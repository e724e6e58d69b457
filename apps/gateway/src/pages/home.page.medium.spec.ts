import request from 'supertest';
import { startEdge, type RunningEdge } from '../http/edge-fixture';
import { RateLimiter } from '../limits/rate-limiter';
import { homePage, missingPage } from './home.page';
import { PageHandler } from './page-handler';

const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';

describe('the page at the address of a tenant', () => {
  let edge: RunningEdge;

  beforeEach(async () => {
    edge = await startEdge({}, (application, parts) => {
      const pages = new PageHandler(parts.edge, new RateLimiter(60));
      application.use(homePage(pages));
      application.use('/auth', missingPage(pages));
      application.use((_request, response) => void response.status(404).json({ code: 'request.not_found' }));
    });
  });
  afterEach(() => edge.stop());

  const open = (path: string, accept: string, method: 'get' | 'post' = 'get') =>
    request(edge.origin)[method](path).set('accept', accept);

  it.each([
    ['a program that takes anything', '/', '*/*', 'get'],
    ['a program that asks for JSON', '/', 'application/json', 'get'],
    ['a form', '/', browser, 'post'],
    ['an unknown path of the API', '/nothing', browser, 'get'],
    ['a program below /auth', '/auth/nothing', 'application/json', 'get'],
  ] as const)('answers %s with JSON', async (_who, path, accept, method) => {
    const { status, type } = await open(path, accept, method);
    expect([status, type]).toEqual([404, 'application/json']);
  });

  it('shows a browser what there is, named after the tenant', async () => {
    const { status, type, text } = await open('/', browser);
    expect([status, type]).toEqual([200, 'text/html']);
    for (const link of ['/docs', '/docs/data', '/auth/device', '/healthz/ready'])
      expect(text).toContain(`href="${link}"`);
  });

  it('tells a browser by a page that there is nothing at a link', async () => {
    const { status, type, text } = await open('/auth/nothing', browser);
    expect([status, type]).toEqual([404, 'text/html']);
    expect(text).toContain('This link does not work');
  });
});
