import { AppError } from '@plinth/errors';
import { isRecord, resolvePath, schemasOf, type ResourceKind } from '@plinth/scim-protocol';

export interface Wanted {
  attributes?: string | readonly string[] | null | undefined;
  excludedAttributes?: string | readonly string[] | null | undefined;
}

type Json = Record<string, unknown>;

/** Which attributes a reply has (RFC 7644, section 3.9). `id` and `schemas` always come. */
export class Projection {
  private readonly included: readonly string[][] | undefined;
  private readonly excluded: readonly string[][];

  /** @throws AppError `scim.invalid_value` (400) for `attributes` and `excludedAttributes` together. */
  constructor(
    private readonly kind: ResourceKind,
    { attributes, excludedAttributes }: Wanted,
  ) {
    const [wanted, unwanted] = [namesIn(attributes), namesIn(excludedAttributes)];
    if (wanted.length > 0 && unwanted.length > 0) {
      throw new AppError('scim.invalid_value', 'Give attributes or excludedAttributes, not both');
    }
    this.included = wanted.length > 0 ? this.keysOf(wanted) : undefined;
    this.excluded = this.keysOf(unwanted);
  }

  /** Whether the client named the attributes that it wants. */
  get isExplicit(): boolean {
    return this.included !== undefined;
  }

  /** Whether the reply has the attribute at all, so that what is not wanted need not be read. */
  wants(name: string): boolean {
    if (this.excluded.some((keys) => keys.length === 1 && keys[0] === name)) return false;
    return this.included === undefined || this.included.some(([key]) => key === name);
  }

  of(resource: Json): Json {
    const { id, schemas } = resource;
    const result = this.included ? picked(resource, this.included) : omitted(resource, this.excluded);
    return {
      schemas,
      id,
      ...Object.fromEntries(Object.entries(result).filter(([key]) => !['id', 'schemas'].includes(key))),
    };
  }

  /** One value of an attribute with several, as it appears in a resource of which {@link wants} says that it is there. */
  ofValue(name: string, value: Json): Json {
    const paths = (this.included ?? this.excluded).filter(([key]) => key === name).map(([, ...rest]) => rest);
    const parts = paths.filter((rest) => rest.length > 0);
    if (!this.included) return omitted(value, parts);
    return parts.length < paths.length ? value : picked(value, parts);
  }

  /** Names that stand for nothing are as good as attributes without a value. */
  private keysOf(names: readonly string[]): string[][] {
    const [core] = schemasOf[this.kind];
    return names.flatMap((name) => {
      const extension = schemasOf[this.kind].find(
        ({ id }) => id !== core.id && id.toLowerCase() === name.toLowerCase(),
      );
      if (extension) return [[extension.id]];
      const path = resolvePath(this.kind, name)?.path;
      if (!path) return [];
      return [
        [...(path.schema === core.id ? [] : [path.schema]), path.name, ...(path.sub === undefined ? [] : [path.sub])],
      ];
    });
  }
}

const namesIn = (names: Wanted['attributes']): string[] =>
  (typeof names === 'string' ? names.split(',') : (names ?? [])).map((name) => name.trim()).filter(Boolean);

function picked(value: unknown, paths: readonly string[][]): Json {
  const entries = Object.entries(isRecord(value) ? value : {}).flatMap(([key, item]) => {
    const below = pathsBelow(key, paths);
    if (below.length === 0) return [];
    const isWhole = below.some((rest) => rest.length === 0);
    return [[key, isWhole ? item : each(item, (part) => picked(part, below))] as const];
  });
  return Object.fromEntries(entries);
}

function omitted(value: unknown, paths: readonly string[][]): Json {
  const entries = Object.entries(isRecord(value) ? value : {}).flatMap(([key, item]) => {
    const below = pathsBelow(key, paths);
    if (below.some((rest) => rest.length === 0)) return [];
    return [[key, below.length > 0 ? each(item, (part) => omitted(part, below)) : item] as const];
  });
  return Object.fromEntries(entries);
}

/** What is left of the paths that begin with the key; an empty one means all of what is there. */
const pathsBelow = (key: string, paths: readonly string[][]): string[][] =>
  paths.filter(([first]) => first === key).map(([, ...rest]) => rest);

const each = (value: unknown, change: (item: unknown) => Json): unknown =>
  Array.isArray(value) ? value.map(change) : change(value);
