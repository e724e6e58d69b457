/** What `meta` tells of the data model, as far as SQL needs it: the members that the caller may see. */
export interface Cube {
  name: string;
  measures: readonly Member[];
  dimensions: readonly Member[];
  segments: readonly { name: string }[];
}

export interface Member {
  /** `cube.member` */
  name: string;
  /** `number`, `string`, `time`, `boolean` ... */
  type: string;
  /** Of measures alone: `count`, `sum`, `number` ... */
  aggType?: string;
  format?: unknown;
  currency?: string;
}

/** What a name of a statement stands for. */
export type Resolved =
  | { kind: 'measure'; member: Member }
  /** With the granularity that DATE_TRUNC gives to a time. */
  | { kind: 'dimension'; member: Member; granularity?: string }
  | { kind: 'segment'; member: { name: string } };

/** What may stand in SELECT. */
export type Selectable = Exclude<Resolved, { kind: 'segment' }>;

/** Names a member as results do: a time with its granularity. */
export const keyOf = (resolved: Resolved): string =>
  resolved.kind === 'dimension' && resolved.granularity !== undefined
    ? `${resolved.member.name}.${resolved.granularity}`
    : resolved.member.name;
