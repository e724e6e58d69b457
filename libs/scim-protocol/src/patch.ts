import { AppError } from '@plinth/errors';
import type { AttributePath, Filter } from './filter';
import { parsePath, type Target } from './parse-path';
import { resolvePath, splitUrn } from './resolve-path';
import { isEmpty, isRecord, readScalar, readValue, type AttributeValue } from './resource';
import { CUSTOM, GROUP, PATCH_OP, type ResourceKind } from './schemas';

/** One change in canonical form, whatever dialect it came in. A removal has no value. */
export interface Change {
  op: 'add' | 'replace' | 'remove';
  path: AttributePath;
  /** Which values of a list are meant; all of them when absent. */
  filter?: Filter;
  value?: AttributeValue;
}

/** One change of a group's members, by ids as the client wrote them. */
export interface MemberChange {
  op: 'add' | 'replace' | 'remove';
  ids: string[];
}

/** All changes of a PATCH request, in their order. */
export interface Patch {
  changes: Change[];
  members: MemberChange[];
}

interface RawOperation {
  op: Change['op'];
  path: string | undefined;
  value: unknown;
  hasValue: boolean;
}

const MOST_OPERATIONS = 1_000;

/**
 * The changes in the body of a PATCH request (RFC 7644, section 3.5.2) of any identity provider.
 *
 * @throws AppError `scim.invalid_syntax`, `scim.invalid_path`, `scim.invalid_filter`, `scim.invalid_value`,
 *   `scim.no_target`, `scim.mutability` (400).
 */
export function readPatch(kind: ResourceKind, body: Readonly<Record<string, unknown>>): Patch {
  const patch: Patch = { changes: [], members: [] };
  for (const operation of operationsOf(body)) {
    if (operation.path === undefined) readPathless(kind, patch, operation);
    else readOne(patch, parsePath(kind, operation.path), operation, 'strict');
  }
  return patch;
}

function operationsOf(body: Readonly<Record<string, unknown>>): RawOperation[] {
  const schemas = property(body, 'schemas');
  if (!Array.isArray(schemas) || !schemas.some((each) => String(each).toLowerCase() === PATCH_OP.toLowerCase())) {
    throw invalidSyntax(`schemas must name ${PATCH_OP}`);
  }
  const operations = property(body, 'Operations');
  if (!Array.isArray(operations) || operations.length === 0) throw invalidSyntax('Operations must not be empty');
  if (operations.length > MOST_OPERATIONS) throw invalidSyntax(`Operations has at most ${MOST_OPERATIONS} items`);
  return operations.map(readOperation);
}

function readOperation(raw: unknown): RawOperation {
  if (!isRecord(raw)) throw invalidSyntax('An operation must be an object');
  const op = String(property(raw, 'op')).toLowerCase();
  if (op !== 'add' && op !== 'replace' && op !== 'remove') throw invalidSyntax('op must be add, replace or remove');
  const path = property(raw, 'path');
  if (!isEmpty(path) && typeof path !== 'string') throw invalidSyntax('path must be text');
  const value = property(raw, 'value');
  return { op, path: isEmpty(path) ? undefined : (path as string), value, hasValue: value !== undefined };
}

/** Names in messages are matched in any case too. */
const property = (record: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.entries(record).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];

/** Each key of the value is a path of its own; what is unknown or belongs to the service is left out. */
function readPathless(kind: ResourceKind, patch: Patch, { op, value }: RawOperation): void {
  if (op === 'remove') throw new AppError('scim.no_target', 'A removal needs a path');
  if (!isRecord(value)) throw new AppError('scim.invalid_value', 'Without a path, value must be an object');
  for (const [key, item] of Object.entries(value)) {
    const urn = splitUrn(kind, key);
    if (urn?.rest === '') {
      const parts = isRecord(item) ? Object.entries(item) : [];
      for (const [name, part] of parts) readKey(kind, patch, op, `${urn.schema}:${name}`, part);
    } else readKey(kind, patch, op, key, item);
  }
}

function readKey(kind: ResourceKind, patch: Patch, op: Change['op'], key: string, value: unknown): void {
  const target = key.includes('[') ? parsePath(kind, key) : resolvePath(kind, key);
  if (target) readOne(patch, target, { op, path: key, value, hasValue: value !== undefined }, 'lenient');
}

function readOne(patch: Patch, target: Target, operation: RawOperation, mode: 'strict' | 'lenient'): void {
  const { attribute, path } = target;
  if (path.schema === GROUP && path.name === 'members') {
    patch.members.push(readMembers(target, operation));
    return;
  }
  if (attribute.mutability !== 'readWrite') {
    if (mode === 'lenient' || attribute.mutability === 'writeOnly') return;
    throw new AppError('scim.mutability', `${attribute.name} cannot be changed`);
  }
  const change = changeOf(target, operation);
  if (change.op === 'remove' && attribute.required) {
    throw operation.op === 'remove'
      ? new AppError('scim.mutability', `${attribute.name} is required`)
      : new AppError('scim.invalid_value', `${attribute.name} is required`);
  }
  patch.changes.push(change);
}

function changeOf(target: Target, { op, value }: RawOperation): Change {
  const { attribute, sub, path, filter } = target;
  const at = { path, ...(filter && { filter }) };
  if (op === 'remove') return { op, ...at };
  const read = isEmpty(value) ? undefined : sub ? readScalar(sub, value) : readTarget(target, value);
  if (read !== undefined) return { op, ...at, value: read };
  // An empty list adds nothing; every other empty value stands for none (RFC 7643, section 2.5).
  return attribute.multiValued && op === 'add' && !filter ? { op, ...at } : { op: 'remove', ...at };
}

function readTarget({ attribute, path, filter }: Target, value: unknown): AttributeValue | undefined {
  const read = readValue(attribute, value, path.schema === CUSTOM);
  return filter && Array.isArray(read) ? read[0] : read;
}

/** A removal that says whom never means everybody, and one that fails to say so is refused. */
function readMembers({ filter }: Target, { op, value, hasValue }: RawOperation): MemberChange {
  if (filter) {
    if (op !== 'remove') throw new AppError('scim.invalid_path', 'Members are added and replaced without a condition');
    return { op, ids: idsIn(filter) };
  }
  if (op === 'remove' && !hasValue) return { op: 'replace', ids: [] };
  const ids = memberIds(value);
  if (op === 'remove' && ids.length === 0) throw new AppError('scim.invalid_value', 'value must name members');
  return { op, ids };
}

/**
 * Ids in a list of members: objects with a `value`, or the ids themselves.
 *
 * @throws AppError `scim.invalid_value` (400) for anything else.
 */
export function memberIds(value: unknown): string[] {
  if (value === null || value === undefined || value === '') {
    throw new AppError('scim.invalid_value', 'members must be a list of members');
  }
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return [...new Set(items.map(memberId))];
}

function memberId(item: unknown): string {
  const id = isRecord(item) ? property(item, 'value') : item;
  if ((typeof id !== 'string' && typeof id !== 'number') || String(id).trim() === '') {
    throw new AppError('scim.invalid_value', 'Each member needs the id of a user as its value');
  }
  return String(id);
}

/** Ids that the condition names: `value eq "1"`, or several of these with `or`. */
function idsIn(filter: Filter): string[] {
  if (filter.kind === 'or') return filter.operands.flatMap(idsIn);
  if (filter.kind === 'compare' && filter.operator === 'eq' && filter.path.sub === 'value')
    return [String(filter.value)];
  throw new AppError('scim.invalid_filter', 'Members are selected by value eq and their id');
}

const invalidSyntax = (message: string): AppError => new AppError('scim.invalid_syntax', message);
