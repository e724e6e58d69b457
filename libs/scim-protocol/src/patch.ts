import { AppError } from '@plinth/errors';
import type { AttributePath, Filter } from './filter';
import { parsePath, type Target } from './parse-path';
import { resolvePath, splitUrn } from './resolve-path';
import { readPatchValue, type PartChanges } from './patch-value';
import { isEmpty, isRecord, type AttributeValue } from './resource';
import { GROUP, PATCH_OP, schemasOf, type ResourceKind } from './schemas';

/** One change in canonical form, whatever dialect it came in. A removal has no value. */
export interface Change {
  op: 'add' | 'replace' | 'remove';
  /** A removal whose name is empty means every attribute of the schema. */
  path: AttributePath;
  /** Which values of a list are meant; all of them when absent. */
  filter?: Filter;
  value?: AttributeValue | PartChanges;
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
    const whole = operation.path === undefined ? undefined : splitUrn(kind, operation.path);
    if (operation.path === undefined) readPathless(kind, patch, operation);
    else if (whole?.rest === '') readSchema(kind, patch, whole.schema, operation, 'strict');
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
    if (urn?.rest === '')
      readSchema(kind, patch, urn.schema, { op, path: key, value: item, hasValue: true }, 'lenient');
    else readKey(kind, patch, op, key, item);
  }
}

/** Attributes of a schema as if they were parts of it: those that are not mentioned stay. */
function readSchema(kind: ResourceKind, patch: Patch, schema: string, operation: RawOperation, mode: Mode): void {
  const { op, value, hasValue } = operation;
  if (op !== 'remove' && !hasValue) throw valueMissing();
  if (op === 'remove' || isEmpty(value)) {
    const isCore = schemasOf[kind][0].id === schema;
    if (isCore) throw new AppError('scim.mutability', `${schema} has attributes that are required`);
    patch.changes.push({ op: 'remove', path: { schema, name: '' } });
    return;
  }
  if (!isRecord(value)) throw new AppError('scim.invalid_value', `The value of ${schema} must be an object`);
  const known = Object.entries(value).filter(([name, item]) => readKey(kind, patch, op, `${schema}:${name}`, item));
  if (mode === 'strict' && known.length === 0) {
    throw new AppError('scim.invalid_value', `value has no attribute of ${schema}`);
  }
}

/** Whether the key stands for anything. */
function readKey(kind: ResourceKind, patch: Patch, op: Change['op'], key: string, value: unknown): boolean {
  const target = key.includes('[') ? parsePath(kind, key) : resolvePath(kind, key);
  if (target) readOne(patch, target, { op, path: key, value, hasValue: true }, 'lenient');
  return target !== undefined;
}

/** Whether what cannot be changed is refused or left out. */
type Mode = 'strict' | 'lenient';

function readOne(patch: Patch, target: Target, operation: RawOperation, mode: Mode): void {
  const { attribute, sub, path } = target;
  const fixed = [attribute, sub].find((each) => each && each.mutability !== 'readWrite');
  if (fixed) {
    if (mode === 'lenient' || fixed.mutability === 'writeOnly') return;
    throw new AppError('scim.mutability', `${fixed.name} cannot be changed`);
  }
  if (path.schema === GROUP && path.name === 'members') {
    patch.members.push(readMembers(target, operation));
    return;
  }
  const change = changeOf(target, operation);
  if (change.op === 'remove' && attribute.required) {
    throw operation.op === 'remove'
      ? new AppError('scim.mutability', `${attribute.name} is required`)
      : new AppError('scim.invalid_value', `${attribute.name} is required`);
  }
  patch.changes.push(change);
}

function changeOf(target: Target, { op, value, hasValue }: RawOperation): Change {
  const { attribute, path, filter } = target;
  const at = { path, ...(filter && { filter }) };
  if (op === 'remove') return { op, ...at };
  if (!hasValue) throw valueMissing();
  const read = readPatchValue(target, value);
  if (read !== undefined) return { op, ...at, value: read };
  // An empty list adds nothing; every other empty value stands for none (RFC 7643, section 2.5).
  return attribute.multiValued && op === 'add' && !filter ? { op, ...at } : { op: 'remove', ...at };
}

/** A removal that says whom never means everybody, and one that fails to say so is refused. */
function readMembers({ filter, sub }: Target, { op, value, hasValue }: RawOperation): MemberChange {
  if (sub) throw new AppError('scim.invalid_path', 'Members are changed as a whole, not in their parts');
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

const valueMissing = (): AppError => new AppError('scim.invalid_value', 'add and replace need a value');

const invalidSyntax = (message: string): AppError => new AppError('scim.invalid_syntax', message);
