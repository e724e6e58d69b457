import { AppError } from '@plinth/errors';
import { findAttribute } from './attributes';
import type { Filter, ResolvedPath } from './filter';
import { parseElementFilter } from './parse-filter';
import { resolvePath } from './resolve-path';
import type { ResourceKind } from './schemas';
import { tokenise } from './tokens';

/** Where a PATCH operation applies: an attribute, a part of it, or some of its values. */
export interface Target extends ResolvedPath {
  filter?: Filter;
}

const withBrackets = /^([^[\]"]+)\[(.*)\](?:\.([\w$-]+))?$/s;

/**
 * Parses the path of a PATCH operation, such as `emails[type eq "work"].value`.
 *
 * @throws AppError `scim.invalid_path`, `scim.invalid_filter` (400).
 */
export function parsePath(kind: ResourceKind, text: string): Target {
  const [, name = text.trim(), condition, part] = withBrackets.exec(text.trim()) ?? [];
  const target = resolvePath(kind, name);
  if (!target) throw invalidPath(text);
  if (condition === undefined) return target;
  if (!target.attribute.multiValued || target.sub) throw invalidPath(text);
  const filter = parseElementFilter(target, tokenise(condition));
  if (part === undefined) return { ...target, filter };
  const sub = findAttribute(target.attribute.subAttributes ?? [], part);
  if (!sub) throw invalidPath(text);
  return { ...target, filter, sub, path: { ...target.path, sub: sub.name } };
}

const invalidPath = (path: string): AppError =>
  new AppError('scim.invalid_path', `The path ${path.slice(0, 200)} leads to nothing that can be changed`);
