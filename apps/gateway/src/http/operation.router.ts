import { operations, type OperationDescription } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import findMyWay, { type HTTPMethod, type HTTPVersion, type Instance } from 'find-my-way';

export interface RoutedOperation {
  operation: OperationDescription;
  pathParameters: Readonly<Record<string, string | undefined>>;
}

const methods: readonly HTTPMethod[] = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'];

/** Finds the operation of the contract that a method and path mean; `/x` and `/x/` are the same path. */
export class OperationRouter {
  private readonly routes: Instance<HTTPVersion.V1> = findMyWay<HTTPVersion.V1>({
    ignoreTrailingSlash: true,
    maxParamLength: 1_024,
  });

  constructor(table: readonly OperationDescription[] = operations) {
    for (const operation of table) {
      if (operation.internal) continue;
      const path = operation.path.replace(/\{([^}]+)\}/g, ':$1');
      this.routes.on(operation.method as HTTPMethod, path, () => undefined, operation);
    }
  }

  /**
   * @throws AppError `request.not_found` (404) for an unknown path.
   * @throws MethodNotAllowedError (405) for a known path with another method.
   */
  find(method: string, path: string): RoutedOperation {
    const route = this.lookUp(method, path);
    if (route) return route;
    const allowed = methods.filter((candidate) => candidate !== method && this.lookUp(candidate, path) !== null);
    if (allowed.length > 0) throw new MethodNotAllowedError(method, allowed);
    throw new AppError('request.not_found', `There is nothing at ${method} ${path}`);
  }

  private lookUp(method: string, path: string): RoutedOperation | null {
    const found = this.routes.find(method as HTTPMethod, path);
    return found ? { operation: found.store as OperationDescription, pathParameters: found.params } : null;
  }
}

/** A known path with a method that it does not have; `allowed` becomes the `Allow` header (RFC 9110, 15.5.6). */
export class MethodNotAllowedError extends AppError {
  constructor(
    method: string,
    readonly allowed: readonly string[],
  ) {
    super('request.method_not_allowed', `${method} is not possible here; possible: ${allowed.join(', ')}`);
  }
}
