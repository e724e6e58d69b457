/** Turns a bundled document into the one that is served: references lead to schemas alone, extensions are gone. */

import { errorReplies } from './error-replies.mjs';

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];
const SERVED_COMPONENTS = ['schemas', 'securitySchemes'];

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function lookUp(document, pointer) {
  const keys = pointer
    .slice(2)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const target = keys.reduce((node, key) => node?.[key], document);
  if (target === undefined) throw new Error(`${pointer} leads nowhere`);
  return target;
}

const isServedReference = (pointer) =>
  SERVED_COMPONENTS.some((bucket) => pointer.startsWith(`#/components/${bucket}/`));

/** Replaces references to parameters, responses and the like by what they stand for. */
function inline(document, node) {
  if (Array.isArray(node)) return node.map((item) => inline(document, item));
  if (!isObject(node)) return node;
  if (typeof node.$ref === 'string' && !isServedReference(node.$ref))
    return inline(document, lookUp(document, node.$ref));
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inline(document, value)]));
}

/** Extensions stand beside the keys of the specification; names of properties are left alone. */
function withoutExtensions(node, isMapOfNames = false) {
  if (Array.isArray(node)) return node.map((item) => withoutExtensions(item));
  if (!isObject(node)) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => isMapOfNames || !key.startsWith('x-'))
      .map(([key, value]) => [key, key === 'example' ? value : withoutExtensions(value, key === 'properties')]),
  );
}

const byName = (record) => Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Every operation of a bundled document, with the parameters of its path, all its replies and references inlined. */
export function operationsOf(bundled) {
  return Object.entries(bundled.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => {
      const { parameters: own = [], ...operation } = item[method];
      const parameters = inline(bundled, [...(item.parameters ?? []), ...own]);
      const responses = { ...errorReplies(bundled, method, operation, parameters), ...operation.responses };
      return { path, method, ...inline(bundled, { ...operation, responses }), parameters };
    }),
  );
}

/** The document for clients: deterministic, self-contained, without internals. */
export function servedDocument(bundled) {
  const paths = {};
  for (const { path, method, ...operation } of operationsOf(bundled)) {
    (paths[path] ??= {})[method] =
      operation.parameters.length > 0 ? operation : { ...operation, parameters: undefined };
  }
  const components = Object.fromEntries(
    SERVED_COMPONENTS.filter((bucket) => bundled.components?.[bucket]).map((bucket) => [
      bucket,
      byName(bundled.components[bucket]),
    ]),
  );
  return JSON.parse(JSON.stringify(withoutExtensions({ ...bundled, paths, components })));
}

const onlyRequires = (schema) => Object.keys(schema).join() === 'required';

/** A choice between sets of required fields says nothing in TypeScript and would turn the whole schema into unknown. */
function withoutFieldChoices(node) {
  if (Array.isArray(node)) return node.map(withoutFieldChoices);
  if (!isObject(node)) return node;
  const entries = Object.entries(node).filter(([key, value]) => key !== 'anyOf' || !value.every(onlyRequires));
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutFieldChoices(value)]));
}

/** One document with the operations and schemas of both, for the types. */
export function merged(first, second) {
  const schemas = { ...first.components.schemas };
  for (const [name, schema] of Object.entries(second.components.schemas)) {
    if (schemas[name] && JSON.stringify(schemas[name]) !== JSON.stringify(schema)) {
      throw new Error(`Two different schemas are called ${name}`);
    }
    schemas[name] = schema;
  }
  return {
    ...first,
    paths: { ...first.paths, ...second.paths },
    components: { ...first.components, schemas: withoutFieldChoices(byName(schemas)) },
  };
}
