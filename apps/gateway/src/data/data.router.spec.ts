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

  it.each([
    ['below a number that is none', '/deployments/07/v1/load'],
    ['below a number without end', `/deployments/${'9'.repeat(400)}/v1/load`],
    ['of a deployment by itself', '/deployments/7'],
    ['where the engine keeps jobs', '/deployments/7/cubejs-api/v1/pre-aggregations/jobs'],
    ['where the engine manages itself', '/deployments/7/cubejs-system/v1/context'],
    ['that is short and none', '/deployments/7/v1/sql'],
    ['with a name of every object', '/deployments/7/cubejs-api/constructor'],
  ])('%s leads nowhere', (_what, path) => {
    expect(found(path)).toBeUndefined();
  });

  it.each([
    ['/cubejs-api/v1/load', 'load'],
    ['/cubejs-api/v1/meta', 'meta'],
    ['/cubejs-api/v1/sql', 'sql'],
    ['/cubejs-api/v1/dry-run', 'dry-run'],
    ['/cubejs-api/v1/convert-query', 'convert-query'],
    ['/cubejs-api/v1/cubesql', 'cubesql'],
    ['/cubejs-api/v1/subscribe', 'load'],
    ['/cubejs-api/graphql', 'graphql'],
    ['/cubejs-api/v1/graphql', 'graphql'],
    ['/v1/load/', 'load'],
    ['/v1/cubesql', 'cubesql'],
    ['/v1/meta', 'meta'],
  ])('%s leads to %s, of a deployment and of its branches', (path, route) => {
    const production = { deploymentId: 7, branch: undefined, route };
    expect(found(`/deployments/7${path}`)).toEqual(production);
    expect(found(path)).toEqual({ ...production, deploymentId: undefined });
    for (const branch of ['next', 'feature/a%20b', 'feature%2Fa%20b']) {
      expect(found(`/deployments/7/dev-mode/${branch}${path}`)).toEqual({ ...production, branch });
    }
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
