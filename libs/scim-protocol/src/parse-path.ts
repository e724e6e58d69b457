import { AppError } from '@plinth/errors';
import { findAttribute } from './attributes';
import type { Filter, ResolvedPath } from './filter';
import { parseSelection } from './parse-filter';
import { resolvePath } from './resolve-path';
import type { ResourceKind } from './schemas';

/** Where a PATCH operation applies: an attribute, a part of it, or some of its values. */
export interface Target extends ResolvedPath {
  filter?: Filter;
}

/**
 * Parses the path of a PATCH operation (RFC 7644, section 3.5.2), such as `emails[type eq "work"].value`.
 *
 * @throws AppError `scim.invalid_path` (400), and `scim.invalid_filter` (400) for what is between the brackets.
 */
export function parsePath(kind: ResourceKind, text: string): Target {
  const bracket = text.indexOf('[');
  const target = resolvePath(kind, (bracket < 0 ? text : text.slice(0, bracket)).trim());
  if (!target) throw invalidPath(text);
  if (bracket < 0) return target;
  if (!target.attribute.multiValued || target.sub) throw invalidPath(text);
  const { filter, part } = parseSelection(target, text.slice(bracket));
  if (part === undefined) return { ...target, filter };
  const sub = findAttribute(target.attribute.subAttributes ?? [], part);
  if (!sub) throw invalidPath(text);
  return { ...target, filter, sub, path: { ...target.path, sub: sub.name } };
}

const invalidPath = (path: string): AppError =>
  new AppError('scim.invalid_path', `The path ${path.slice(0, 200)} leads to nothing that can be changed`);
