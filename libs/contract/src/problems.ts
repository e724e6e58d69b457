import type { ErrorObject } from 'ajv';

/** One value that breaks the contract. */
export interface Problem {
  /** JSON pointer into the request or reply, for example `/body/name`. */
  path: string;
  /** What is wrong, to follow the path in a sentence, for example `is required`. */
  message: string;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'true or false',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

const either = (words: readonly string[]) => words.join(' or ');

/** A parameter that is given twice arrives as an array where one value belongs. */
const isRepeated = (prefix: string, { keyword, data }: ErrorObject): boolean =>
  prefix !== '/body' && keyword === 'type' && Array.isArray(data);

const typeMessage = ({ params }: ErrorObject): string => {
  const names = [params['type'] as string | string[]].flat();
  return `must be ${either(names.map((name) => TYPE_NAMES[name] ?? name))}`;
};

const count = (limit: unknown, unit: string) => `${String(limit)} ${unit}${limit === 1 ? '' : 's'}`;

const FORMATS: Readonly<Record<string, string>> = {
  int64: 'must be a safe integer (at most 9007199254740991 either way)',
  int32: 'must be a 32-bit integer',
  'date-time': 'must be a date and time as in 2026-03-02T09:30:00Z, within the years 1 to 9999 in UTC',
  date: 'must be a date as in 2026-03-02',
  uuid: 'must be a UUID',
  email: 'must be an email address',
  uri: 'must be a URL',
};

const PATTERNS: Readonly<Record<string, string>> = {
  '\\S': 'must not be blank',
  '^$|\\S': 'must not be white space alone',
  '^[^\\0]*$': 'must not hold a null character',
};

const MESSAGES: Readonly<Record<string, (error: ErrorObject) => string>> = {
  type: typeMessage,
  required: () => 'is required',
  enum: ({ params }) =>
    `must be one of ${(params['allowedValues'] as unknown[]).filter((value) => value !== null).join(', ')}`,
  const: ({ params }) => `must be ${JSON.stringify(params['allowedValue'])}`,
  minimum: ({ params }) => `must be at least ${String(params['limit'])}`,
  maximum: ({ params }) => `must be at most ${String(params['limit'])}`,
  minLength: ({ params }) =>
    params['limit'] === 1 ? 'must not be empty' : `must have at least ${count(params['limit'], 'character')}`,
  maxLength: ({ params }) => `must have at most ${count(params['limit'], 'character')}`,
  minItems: ({ params }) => `must have at least ${count(params['limit'], 'item')}`,
  maxItems: ({ params }) => `must have at most ${count(params['limit'], 'item')}`,
  uniqueItems: () => 'must not repeat an item',
  additionalProperties: () => 'is not known',
  pattern: ({ params }) => PATTERNS[String(params['pattern'])] ?? `must match ${String(params['pattern'])}`,
  format: ({ params }) => FORMATS[String(params['format'])] ?? `must be a valid ${String(params['format'])}`,
  not: () => 'is not allowed',
};

/** A name as a part of a JSON pointer. */
export const escaped = (name: unknown): string => String(name).replaceAll('~', '~0').replaceAll('/', '~1');

const locate = ({ instancePath, keyword, params }: ErrorObject): string => {
  if (keyword === 'required') return `${instancePath}/${escaped(params['missingProperty'])}`;
  if (keyword === 'additionalProperties') return `${instancePath}/${escaped(params['additionalProperty'])}`;
  return instancePath;
};

const isChoice = ({ keyword }: ErrorObject) => keyword === 'anyOf' || keyword === 'oneOf';

const isNullBranch = ({ keyword, params }: ErrorObject) => keyword === 'type' && params['type'] === 'null';

/** A choice between sets of fields (`files`, or `from` and `to`) is one problem, not one for each field. */
function fieldChoice(choice: ErrorObject): string | undefined {
  const branches = (choice.schema as readonly { required?: readonly string[] }[]).map(({ required }) => required);
  const sets = branches.flatMap((required) => (required ? [required.join(' and ')] : []));
  return sets.length === branches.length ? `must have ${sets.join(', or ')}` : undefined;
}

function readable(errors: readonly ErrorObject[]): { error: ErrorObject; message: string }[] {
  const fieldChoices = errors.filter((error) => isChoice(error) && fieldChoice(error) !== undefined);
  const explained = (error: ErrorObject) =>
    error.keyword === 'required' &&
    fieldChoices.some(({ schemaPath }) => error.schemaPath.startsWith(`${schemaPath}/`));
  return errors
    .filter((error) => !isNullBranch(error) && !explained(error))
    .map((error) => ({ error, message: messageOf(error) }))
    .filter(
      ({ error, message }, _index, all) => !isChoice(error) || fieldChoice(error) === message || all.length === 1,
    );
}

const messageOf = (error: ErrorObject): string =>
  (isChoice(error) ? fieldChoice(error) : MESSAGES[error.keyword]?.(error)) ?? 'is not valid';

/** Sentences for people from the validator's findings, each below `prefix`, without repeats. */
export function problemsOf(prefix: string, errors: readonly ErrorObject[]): Problem[] {
  const problems = readable(errors).map(({ error, message }) => ({
    path: `${prefix}${locate(error)}`,
    message: isRepeated(prefix, error) ? 'must be given once' : message,
  }));
  const byIdentity = new Map(problems.map((problem) => [`${problem.path} ${problem.message}`, problem]));
  return [...byIdentity.values()];
}
