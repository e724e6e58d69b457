import { ApiGateway, UserError } from '@cubejs-backend/api-gateway';

/**
 * The engine's gateway. It evaluates member expressions, which queries of its SQL interface have, as code of this process:
 * here, no query has any.
 */
export class EngineGateway extends ApiGateway {}

const refuse = (): never => {
  throw new UserError('A query may name members, and no expressions');
};
// They are private to the original, whose methods look them up by name.
for (const name of ['evalMemberExpression', 'evalMemberExpressionsInQuery']) {
  if (!(name in ApiGateway.prototype)) throw new Error(`The engine's gateway has no ${name}: its version is not known`);
  Object.defineProperty(EngineGateway.prototype, name, { value: refuse });
}
