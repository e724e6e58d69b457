export { findAttribute, type Attribute, type AttributeType, type Schema } from './attributes';
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
