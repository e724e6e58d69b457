import { operations, type OperationDescription } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import findMyWay, { type HTTPMethod, type HTTPVersion, type Instance } from 'find-my-way';

export interface RoutedOperation {
  operation: OperationDescription;
  pathParameters: Readonly<Record<string, string | undefined>>;
}

/** Whether a request asks for something rather than changing it. */
export const isReading = ({ method }: { method: string }): boolean => method === 'GET' || method === 'HEAD';

type OperationsByMethod = ReadonlyMap<string, OperationDescription>;

/**
 * Finds the operation of the contract that a method and path mean; `/x` and `/x/` are the same path. A path that is
 * written out in the contract (`/users/me`) is never an instance of one with parameters (`/users/{userId}`), whatever
 * the method. HEAD means what GET means.
 */
export class OperationRouter {
  private readonly paths: Instance<HTTPVersion.V1> = findMyWay<HTTPVersion.V1>({
    ignoreTrailingSlash: true,
    maxParamLength: 1_024,
  });

  constructor(table: readonly OperationDescription[] = operations) {
    for (const [path, byMethod] of operationsByPath(table)) {
      this.paths.on(ANY, path.replace(/\{([^}]+)\}/g, ':$1'), () => undefined, byMethod);
    }
  }

  /**
   * @throws AppError `request.not_found` (404) for an unknown path.
   * @throws MethodNotAllowedError (405) for a known path with another method.
   */
  find(method: string, path: string): RoutedOperation {
    const found = this.paths.find(ANY, path);
    if (!found) throw new AppError('request.not_found', `There is nothing at ${method} ${path}`);
    const byMethod = found.store as OperationsByMethod;
    const operation = byMethod.get(method === 'HEAD' ? 'GET' : method);
    if (!operation) throw new MethodNotAllowedError(method, [...byMethod.keys()]);
    return { operation, pathParameters: found.params };
  }
}

/** The tree of paths knows no methods: each path leads to all that it has. */
const ANY: HTTPMethod = 'GET';

function operationsByPath(table: readonly OperationDescription[]): Map<string, Map<string, OperationDescription>> {
  const paths = new Map<string, Map<string, OperationDescription>>();
  for (const operation of table.filter(({ internal }) => !internal)) {
    const byMethod = paths.get(operation.path) ?? new Map<string, OperationDescription>();
    paths.set(operation.path, byMethod.set(operation.method, operation));
  }
  return paths;
}

/** A known path with a method that it does not have; `allowed` becomes the `Allow` header (RFC 9110, 15.5.6). */
export class MethodNotAllowedError extends AppError {
  readonly allowed: readonly string[];

  /** @param methods those of the path; HEAD goes with GET. */
  constructor(method: string, methods: readonly string[]) {
    const allowed = methods.flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each]));
    super('request.method_not_allowed', `${method} is not possible here; possible: ${allowed.join(', ')}`);
    this.allowed = allowed;
  }
}
