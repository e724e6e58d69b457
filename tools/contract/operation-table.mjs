import { accessOf } from './access.mjs';
import { operationsOf } from './document.mjs';
import { isForm } from './error-replies.mjs';

const DEFAULT_BODY_LIMIT = 1 << 20;
const DEFAULT_TIMEOUT = 10_000;

function parameterDescription(document, { name, required = false, allowEmptyValue, schema }) {
  const { type, items } = resolve(document, schema);
  return {
    name,
    type: scalarType(type === 'array' ? resolve(document, items).type : type),
    array: type === 'array',
    required,
    allowEmptyValue,
  };
}

const scalarType = (type) => (['integer', 'number', 'boolean'].includes(type) ? type : 'string');

const resolve = (document, schema) =>
  schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema;

/** A reply without a body may have a status of its own: 202 or 204 beside the one with a body. */
function successStatus({ operationId, responses }) {
  const declared = Object.keys(responses).filter((status) => status.startsWith('2'));
  const statuses = declared.length > 1 ? declared.filter((status) => !['202', '204'].includes(status)) : declared;
  if (statuses.length !== 1) throw new Error(`${operationId} declares ${statuses.length} successful replies, not one`);
  return Number(statuses[0]);
}

/** Lower case, as HTTP libraries hand headers over; undefined without any. */
function headerNames({ parameters }) {
  const names = parameters.filter((each) => each.in === 'header').map(({ name }) => name.toLowerCase());
  return names.length > 0 ? names : undefined;
}

/** `x-dialects` says which paths do not speak the platform's own dialect, by the root that they have in common. */
const dialectOf = ({ 'x-dialects': dialects = {} }, path) =>
  Object.entries(dialects).find(([root]) => path === root || path.startsWith(`${root}/`))?.[1];

function description(document, actions, operation) {
  const parameters = (place) =>
    operation.parameters.filter((each) => each.in === place).map((each) => parameterDescription(document, each));
  return {
    operationId: operation.operationId,
    method: operation.method.toUpperCase(),
    path: operation.path,
    tag: operation.tags[0],
    dialect: dialectOf(document, operation.path),
    service: operation['x-service'],
    internal: operation['x-internal'] === true,
    access: accessOf(actions, operation),
    audit: operation['x-audit'],
    stream: operation['x-stream'],
    form: isForm(operation) || undefined,
    rawBody: operation['x-raw-body'],
    bodyLimitBytes: operation['x-body-limit'] ?? DEFAULT_BODY_LIMIT,
    timeoutMs: operation['x-timeout'] ?? DEFAULT_TIMEOUT,
    successStatus: successStatus(operation),
    hasBody: operation.requestBody !== undefined && !operation['x-raw-body'],
    bodyRequired: operation.requestBody?.required === true && !operation['x-raw-body'],
    pathParameters: parameters('path'),
    queryParameters: parameters('query'),
    headerParameters: headerNames(operation),
  };
}

function idsByServiceAndTag(table) {
  const services = {};
  for (const { service, tag, operationId } of table) ((services[service] ??= {})[tag] ??= []).push(operationId);
  const tags = (byTag) =>
    Object.entries(byTag).map(([tag, ids]) => `    '${tag}': ${ids.map((id) => `'${id}'`).join(' | ')};`);
  return Object.entries(services).map(([service, byTag]) => [`  '${service}': {`, ...tags(byTag), '  };'].join('\n'));
}

/** Source of the operation table and of the map from service and tag to operation ids. */
export function operationTable(header, ...documents) {
  const actions = documents
    .flatMap(({ components }) => components.schemas.PolicyAction?.enum ?? [])
    .filter((name) => name !== 'All');
  const table = documents.flatMap((document) =>
    operationsOf(document).map((each) => description(document, actions, each)),
  );
  const dialects = Object.assign({}, ...documents.map((document) => document['x-dialects']));
  return `${header}
import type { DialectName, OperationDescription } from '../operation-description';

export const operations: readonly OperationDescription[] = ${JSON.stringify(table, null, 2)};

/** Roots of the paths that do not speak the platform's own dialect, whether there is an operation or not. */
export const dialectRoots: Readonly<Record<string, DialectName>> = ${JSON.stringify(dialects, null, 2)};

export interface OperationIdsByService {
${idsByServiceAndTag(table).join('\n')}
}
`;
}
