import { dialectRoots, operations, type DialectName, type OperationDescription } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import findMyWay, { type HTTPMethod, type HTTPVersion, type Instance } from 'find-my-way';
import type { OperationDialect } from '../dialects/dialect';
import { operationDialects } from '../dialects/operation-dialects';
import { MethodNotAllowedError } from './methods';

export interface RoutedOperation {
  dialect: OperationDialect;
  operation: OperationDescription;
  pathParameters: Readonly<Record<string, string | undefined>>;
}

/** A path at which nothing is, or nothing by that method; `error` says so, in the dialect of what is around it. */
export interface DeadEnd {
  dialect: OperationDialect;
  error: AppError;
}

export type Route = RoutedOperation | DeadEnd;

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

  /** The way to go; a dead end is `request.not_found` (404), or a {@link MethodNotAllowedError} (405) at a known path. */
  find(method: string, path: string): Route {
    const found = this.paths.find(ANY, path);
    if (!found) return deadEnd(path, new AppError('request.not_found', `There is nothing at ${method} ${path}`));
    const byMethod = found.store as OperationsByMethod;
    const operation = byMethod.get(method === 'HEAD' ? 'GET' : method);
    if (!operation) return deadEnd(path, new MethodNotAllowedError(method, [...byMethod.keys()]));
    return { dialect: operationDialects[operation.dialect ?? 'platform'], operation, pathParameters: found.params };
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

const deadEnd = (path: string, error: AppError): DeadEnd => ({
  dialect: operationDialects[dialectAround(path)],
  error,
});

/** Below a root, everything that is said follows its dialect, whatever is at the path. */
function dialectAround(path: string): DialectName {
  const root = Object.keys(dialectRoots).find((each) => path === each || path.startsWith(`${each}/`));
  return (root !== undefined && dialectRoots[root]) || 'platform';
}
