import type { ValidateFunction } from 'ajv';

import { coerceParameters, type RawParameters } from './coercion';
import { operation } from './operation';
import { misspeltIn, nothingKnown, type Misspelt } from './misspelt';
import type { OperationDescription, OperationId } from './operation-description';
import type { BodyOf, PathOf, QueryOf } from './operation-types';
import { problemsOf, type Problem } from './problems';
import { bodyShape, bodyValidator, parametersValidator } from './schema-registry';

/** A request as it arrives: parameters as text, the body parsed, or undefined without one. */
export interface RawRequest {
  path: RawParameters;
  query: RawParameters;
  body: unknown;
}

/** A request in the types of the contract, or everything that is wrong with it. */
export type RequestVerdict<Id extends OperationId> =
  | { ok: true; path: PathOf<Id>; query: QueryOf<Id>; body: BodyOf<Id>; misspelt: readonly Misspelt[] }
  | { ok: false; problems: Problem[] };

function check(prefix: string, validate: ValidateFunction | undefined, value: unknown): Problem[] {
  return !validate || validate(value) ? [] : problemsOf(prefix, validate.errors ?? []);
}

function checkBody(description: OperationDescription, body: unknown): Problem[] {
  if (body !== undefined) return check('/body', bodyValidator(description), body);
  return description.bodyRequired ? [{ path: '/body', message: 'is required' }] : [];
}

/** Protocols that others write down leave no room for it. */
const shapeOf = (description: OperationDescription) => (description.dialect ? undefined : bodyShape(description));

const misspeltProblem = ({ path, meant }: Misspelt): Problem => ({
  path,
  message: `is not known; did you mean ${meant}?`,
});

/** The problems, with proposals for properties that are not known. */
function explained(problems: readonly Problem[], misspelt: readonly Misspelt[]): Problem[] {
  const proposals = misspelt.map(misspeltProblem);
  const known = new Set(proposals.map(({ path }) => path));
  return [...problems.filter(({ path }) => !known.has(path)), ...proposals];
}

/**
 * Holds a request against the contract. Unknown parameters are dropped; unknown body fields are left in place and
 * ignored, unless the contract forbids them, or none of the body is known and one looks like a misspelt one that is
 * (ADR 0040). Null and absent stay apart. A body is dropped where the operation takes none.
 *
 * @returns the request with its parameters converted, or every problem with its JSON pointer (`/path`, `/query`, `/body`).
 */
export function validateRequest<Id extends OperationId>(id: Id, request: RawRequest): RequestVerdict<Id> {
  const description = operation(id);
  const path = coerceParameters(description.pathParameters, request.path);
  const query = coerceParameters(description.queryParameters, request.query);
  const body = description.hasBody ? request.body : undefined;
  const problems = [
    ...check('/path', parametersValidator(description, 'path'), path),
    ...check('/query', parametersValidator(description, 'query'), query),
    ...checkBody(description, body),
  ];
  const shape = shapeOf(description);
  const misspelt = shape ? misspeltIn(shape, body, '/body') : [];
  if (problems.length > 0 || (misspelt.length > 0 && shape && nothingKnown(shape, body))) {
    return { ok: false, problems: explained(problems, misspelt) };
  }
  // The validators have just proven what the type claims.
  return { ok: true, path: path as PathOf<Id>, query: query as QueryOf<Id>, body: body as BodyOf<Id>, misspelt };
}
