import { attribute, findAttribute, schemasAttribute, type Attribute } from './attributes';
import type { ResolvedPath } from './filter';
import { CUSTOM, ENTERPRISE, schemasOf, type ResourceKind } from './schemas';

/** Sent by a widespread client, with a colon missing. */
const MISSPELT_ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0user';

const prefixesOf = (kind: ResourceKind): (readonly [prefix: string, schema: string])[] => [
  ...schemasOf[kind].map(({ id }) => [id, id] as const),
  ...(kind === 'User'
    ? ([
        [MISSPELT_ENTERPRISE, ENTERPRISE],
        [CUSTOM, CUSTOM],
      ] as const)
    : []),
];

/** The schema that a key or path begins with, and what follows; undefined for one without a URN. */
export function splitUrn(kind: ResourceKind, text: string): { schema: string; rest: string } | undefined {
  const lower = text.toLowerCase();
  for (const [prefix, schema] of prefixesOf(kind)) {
    const start = prefix.toLowerCase();
    if (lower === start) return { schema, rest: '' };
    if (lower.startsWith(`${start}:`)) return { schema, rest: text.slice(prefix.length + 1) };
  }
  return undefined;
}

/** The attributes of a schema of the kind; those of the tenant's own schema are not known here. */
export const attributesOf = (kind: ResourceKind, schema: string): readonly Attribute[] =>
  schemasOf[kind].find(({ id }) => id === schema)?.attributes ?? [];

const coreOf = (kind: ResourceKind): string => schemasOf[kind][0].id;

/**
 * What `name`, `name.part` or `urn:...:name.part` stands for, in whatever case; undefined for nothing. Among attributes
 * of the tenant's own schema every name is possible.
 */
export function resolvePath(kind: ResourceKind, text: string): ResolvedPath | undefined {
  const { schema, rest } = splitUrn(kind, text) ?? { schema: coreOf(kind), rest: text };
  if (schema === CUSTOM) {
    return rest === '' ? undefined : { path: { schema, name: rest }, attribute: attribute(rest, '') };
  }
  const [name = '', subName, ...more] = rest.split('.');
  const found = findAttribute(attributesOf(kind, schema), name);
  if (!found || more.length > 0) return undefined;
  const path = { schema, name: found.name };
  if (subName === undefined) return { path, attribute: found };
  const sub = findAttribute(found.subAttributes ?? [], subName);
  return sub && { path: { ...path, sub: sub.name }, attribute: found, sub };
}

/**
 * What a name in a filter stands for. Identity providers leave the URN of an extension out there (`manager eq "7"`), so a
 * name that the core schema does not have is looked up in the extensions. `schemas` can be filtered by and nothing else.
 */
export function resolveInFilter(kind: ResourceKind, text: string): ResolvedPath | undefined {
  const found = resolvePath(kind, text);
  const urn = splitUrn(kind, text);
  const { schema, rest } = urn ?? { schema: coreOf(kind), rest: text };
  if (schema === coreOf(kind) && rest.toLowerCase() === schemasAttribute.name) {
    return { path: { schema, name: schemasAttribute.name }, attribute: schemasAttribute };
  }
  if (found || urn) return found;
  const [, ...extensions] = schemasOf[kind];
  return extensions.map(({ id }) => resolvePath(kind, `${id}:${text}`)).find((each) => each !== undefined);
}
