export { applyChanges } from './apply';
export { findAttribute, type Attribute, type AttributeType, type Schema } from './attributes';
export type { AttributePath, Comparison, Filter, Literal, ResolvedPath } from './filter';
export { parseFilter } from './parse-filter';
export { memberIds, readPatch, type Change, type MemberChange, type Patch } from './patch';
export type { PartChanges } from './patch-value';
export { resolvePath } from './resolve-path';
export {
  isRecord,
  readResource,
  requireComplete,
  setOwn,
  type Attributes,
  type AttributeValue,
  type Complex,
  type Resource,
} from './resource';
export {
  CUSTOM,
  ENTERPRISE,
  GROUP,
  LIST_RESPONSE,
  PATCH_OP,
  SEARCH_REQUEST,
  USER,
  schemas,
  schemasOf,
  type ResourceKind,
} from './schemas';
export { isAcceptedVersion, versionOf } from './version';
