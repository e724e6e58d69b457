import type { Attribute } from './attributes';

/** An attribute by its canonical names: `schema` is the URN that it belongs to, `sub` a part of a complex one. */
export interface AttributePath {
  schema: string;
  name: string;
  sub?: string;
}

export type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';

export type Literal = string | boolean | number | null;

/** A parsed filter (RFC 7644, section 3.4.2.2). Every path in it belongs to the schema. */
export type Filter =
  | { kind: 'and' | 'or'; operands: Filter[] }
  | { kind: 'not'; operand: Filter }
  | { kind: 'present'; path: AttributePath }
  | { kind: 'compare'; path: AttributePath; operator: Comparison; value: Literal }
  /** `emails[type eq "work"]`: one and the same value satisfies the inner filter, whose paths are parts of it. */
  | { kind: 'element'; path: AttributePath; filter: Filter };

/** A path with what the schema says of its last part. */
export interface ResolvedPath {
  path: AttributePath;
  attribute: Attribute;
  /** The part of {@link attribute} that `path.sub` names. */
  sub?: Attribute;
}
