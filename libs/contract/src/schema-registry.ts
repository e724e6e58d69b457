import addFormats from 'ajv-formats';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';

import { dataDocument, internalDocument, publicDocument } from './document';
import { momentOf } from './moments';
import type { OperationDescription } from './operation-description';
import { Shapes, type Shape } from './shape';

/**
 * Schemas are compiled on first use, from the very documents that clients read. Code generated ahead of time would
 * repeat every shared schema's checks in the repository, and the test suites need the documents for replies anyway.
 */
const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true, validateSchema: false });
addFormats(ajv);
ajv.addFormat('int64', { type: 'number', validate: (value: number) => Number.isSafeInteger(value) });
const isDateTime = addFormats.get('date-time') as { validate: (text: string) => boolean };
ajv.addFormat('date-time', (text) => isDateTime.validate(text) && momentOf(text) !== undefined);
ajv.addSchema(publicDocument, 'platform');
ajv.addSchema(internalDocument, 'internal');
ajv.addSchema(dataDocument, 'data');

const JSON_TYPES = ['application/json', 'application/scim+json', 'application/x-ndjson'];

const compiled = new Map<string, ValidateFunction | undefined>();

const memoised = (key: string, compile: () => object | undefined): ValidateFunction | undefined => {
  if (!compiled.has(key)) {
    const schema = compile();
    compiled.set(key, schema && ajv.compile(schema));
  }
  return compiled.get(key);
};

const publicShapes = new Shapes(publicDocument);
const internalShapes = new Shapes(internalDocument);

const documentOf = ({ internal }: OperationDescription) => (internal ? internalDocument : publicDocument);

const entryOf = (operation: OperationDescription) => {
  const entry = documentOf(operation).paths[operation.path]?.[operation.method.toLowerCase()];
  if (!entry) throw new Error(`The document has no ${operation.method} ${operation.path}`);
  return entry;
};

const pointer = ({ internal, path, method }: OperationDescription, ...rest: readonly string[]): string =>
  pointerIn(internal ? 'internal' : 'platform', path, method, ...rest);

function pointerIn(document: string, path: string, method: string, ...rest: readonly string[]): string {
  const keys = ['paths', path, method.toLowerCase(), ...rest];
  const escaped = keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')));
  return `${document}#/${escaped.join('/')}`;
}

/** Checks the coerced path or query parameters of an operation, given as one object. */
export const parametersValidator = (operation: OperationDescription, place: 'path' | 'query') =>
  memoised(`${operation.operationId} ${place}`, () => {
    const all = (entryOf(operation).parameters ?? []).map((parameter, index) => ({ ...parameter, index }));
    const parameters = all.filter((parameter) => parameter.in === place);
    const schemaOf = (index: number) => ({ $ref: pointer(operation, 'parameters', String(index), 'schema') });
    return {
      type: 'object',
      required: parameters.filter(({ required }) => required).map(({ name }) => name),
      properties: Object.fromEntries(parameters.map(({ name, index }) => [name, schemaOf(index)])),
    };
  });

/** Checks the JSON body or the form fields of a request; undefined when the operation takes none. */
export const bodyValidator = (operation: OperationDescription) =>
  memoised(`${operation.operationId} body`, () => {
    const [mediaType] = Object.keys(entryOf(operation).requestBody?.content ?? {});
    return mediaType ? { $ref: pointer(operation, 'requestBody', 'content', mediaType, 'schema') } : undefined;
  });

/** What the body of a request may hold; undefined when the operation takes none. */
export const bodyShape = (operation: OperationDescription): Shape | undefined => {
  const shapes = operation.internal ? internalShapes : publicShapes;
  const [content] = Object.values(entryOf(operation).requestBody?.content ?? {});
  return content && shapes.of(content.schema);
};

/** Checks the JSON body of a reply, or one of its lines where there are many; undefined when the reply has none. */
export const replyValidator = (operation: OperationDescription, status: number) =>
  memoised(`${operation.operationId} ${status}`, () => {
    const content = entryOf(operation).responses[status]?.content ?? {};
    const mediaType = JSON_TYPES.find((type) => content[type]);
    return mediaType === undefined
      ? undefined
      : { $ref: pointer(operation, 'responses', String(status), 'content', mediaType, 'schema') };
  });

/** Whether the contract declares a status for an operation. */
export const declaresStatus = (operation: OperationDescription, status: number): boolean =>
  String(status) in entryOf(operation).responses;

/** As {@link replyValidator}, for a path of the data document; undefined for a status that it does not have. */
export const dataReplyValidator = (method: string, path: string, status: number) =>
  memoised(`data ${method} ${path} ${status}`, () => {
    const reply = dataDocument.paths[path]?.[method.toLowerCase()]?.responses[status];
    const rest = ['responses', String(status), 'content', 'application/json', 'schema'];
    return reply && { $ref: pointerIn('data', path, method, ...rest) };
  });
