import { operations } from '@plinth/contract';
import { platformDialect } from '../dialects/platform.dialect';
import { scimDialect } from '../dialects/scim.dialect';
import { MethodNotAllowedError } from './methods';
import { OperationRouter } from './operation.router';

describe(OperationRouter.name, () => {
  const router = new OperationRouter();
  const outcome = (method: string, path: string): unknown => {
    const route = router.find(method, path);
    if ('operation' in route) return route.operation.operationId;
    return route.error instanceof MethodNotAllowedError ? route.error.allowed : route.error.status;
  };

  it('refuses another method on a path that is written out, and takes no word of it for a parameter', () => {
    expect(outcome('DELETE', '/api/v1/users/me')).toEqual(['GET', 'HEAD']);
    expect(outcome('PUT', '/api/v1/users/me/')).toEqual(['GET', 'HEAD']);
    expect(outcome('GET', '/api/v1/users/bulk')).toEqual(['POST']);
    expect(outcome('DELETE', '/api/v1/users/7')).toBe('deleteUser');
  });

  it('names all methods of a path with another one, OPTIONS and unknown ones too', () => {
    for (const method of ['PATCH', 'OPTIONS', 'TRACE', 'BREW']) {
      expect(outcome(method, '/api/v1/deployments/1')).toEqual(expect.arrayContaining(['GET', 'HEAD', 'PUT']));
      expect(outcome(method, '/api/v1/deployments/1')).not.toContain(method);
    }
    expect(outcome('HEAD', '/api/v1/users/bulk')).toEqual(['POST']);
    expect(outcome('GET', '/api/v1/nothing')).toBe(404);
  });

  it('finds every operation of the contract, and by HEAD what GET finds', () => {
    for (const { internal, method, path, operationId } of operations) {
      if (internal) continue;
      const example = path.replace(/\{[^}]+\}/g, '7');
      expect([path, outcome(method, example)]).toEqual([path, operationId]);
      if (method === 'GET') expect([path, outcome('HEAD', example)]).toEqual([path, operationId]);
    }
  });

  it.each([
    ...[
      ['GET', '/api/scim'],
      ['GET', '/api/scim/'],
      ['GET', '/api/scim/v1/Users'],
      ['PUT', '/api/scim/v2/Users'],
      ['GET', '/api/scim/v2/Users/7/'],
    ].map(([method = '', path = '']) => [method, path, scimDialect] as const),
    ...[
      ['GET', '/api/scimmer'],
      ['GET', '/api/v1/scim/tokens'],
      ['PUT', '/api/v1/scim/requests'],
      ['GET', '/api/scım/'],
      ['GET', '/'],
      ['GET', '*'],
    ].map(([method = '', path = '']) => [method, path, platformDialect] as const),
  ])('answers %s %s in the dialect of the path, whether something is there or not', (method, path, dialect) => {
    expect(router.find(method, path).dialect).toBe(dialect);
  });
});
