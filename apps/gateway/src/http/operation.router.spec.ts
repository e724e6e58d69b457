import { operations } from '@plinth/contract';
import type { AppError } from '@plinth/errors';
import { MethodNotAllowedError, OperationRouter } from './operation.router';

describe(OperationRouter.name, () => {
  const router = new OperationRouter();
  const outcome = (method: string, path: string): unknown => {
    try {
      return router.find(method, path).operation.operationId;
    } catch (error) {
      return error instanceof MethodNotAllowedError ? error.allowed : (error as AppError).status;
    }
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
});
