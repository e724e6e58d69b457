import { DataRouter } from './data.router';

const found = (path: string, basePath = '') => {
  const { target, ...place } = new DataRouter(basePath).find(path) ?? {};
  return target && { ...place, route: target.kind === 'engine' ? target.route : target.kind };
};

describe('a path', () => {
  it.each([
    '/',
    '/api/v1/deployments/7',
    '/deploymentsx',
    '/cubejs-apix',
    '/v1',
    '/v1x/load',
    '/healthz/live',
    '/docs',
  ])('%s is of another family', (path) => {
    expect(new DataRouter('').find(path)).toBeUndefined();
  });

  it('below a base path has its short form there alone', () => {
    expect(found('/v1/load', '/data.x')).toBeUndefined();
    expect(found('/dataAx/v1/load', '/data.x')).toBeUndefined();
    expect(found('/deployments/7/data.x/v1/load', '/data.x')).toEqual({
      deploymentId: 7,
      branch: undefined,
      route: 'load',
    });
    expect(found('/dev-mode/a/b/data.x/v1/meta', '/data.x')).toMatchObject({ branch: 'a/b', route: 'meta' });
    expect(found('/cubejs-api/v1/load', '/data.x')).toMatchObject({ route: 'load' });
  });

  it('holds the whole name of a branch, also of one that looks like an address', () => {
    expect(found('/dev-mode/cubejs-api/v1/load/cubejs-api/v1/meta')).toMatchObject({
      branch: 'cubejs-api/v1/load',
      route: 'meta',
    });
  });
});
