import { ApiGateway, UserError } from '@cubejs-backend/api-gateway';

const FAULTS_OF_QUERIES = /^(?:The query limit has been exceeded|You requested hidden member)/;

/**
 * The engine's gateway. It evaluates member expressions, which queries of its SQL interface have, as code of this process:
 * here, no query has any.
 */
export class EngineGateway extends ApiGateway {
  /** What is wrong with a query is told as such: the original takes some of it for failures of its own. */
  override handleError(failure: Parameters<ApiGateway['handleError']>[0]): void {
    const { e } = failure as { e: unknown };
    const message = e instanceof Error && FAULTS_OF_QUERIES.test(e.message) ? e.message : undefined;
    super.handleError(message === undefined ? failure : { ...failure, e: new UserError(message) });
  }
}

const refuse = (): never => {
  throw new UserError('A query may name members, and no expressions');
};
// They are private to the original, whose methods look them up by name.
for (const name of ['evalMemberExpression', 'evalMemberExpressionsInQuery']) {
  if (!(name in ApiGateway.prototype)) throw new Error(`The engine's gateway has no ${name}: its version is not known`);
  Object.defineProperty(EngineGateway.prototype, name, { value: refuse });
}
