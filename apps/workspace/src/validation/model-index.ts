import type { Schemas } from '@plinth/contract';
import type { UsedMembers } from './query-members';

/** Tells whether a data model has a member. */
export class ModelIndex {
  private readonly measures = new Set<string>();
  private readonly dimensions = new Set<string>();
  private readonly segments = new Set<string>();

  constructor(cubes: readonly Schemas['CubeMembers'][]) {
    for (const { name, measures, dimensions, segments } of cubes) {
      for (const measure of measures) this.measures.add(`${name}.${measure}`);
      for (const dimension of dimensions) this.dimensions.add(`${name}.${dimension}`);
      for (const segment of segments) this.segments.add(`${name}.${segment}`);
    }
  }

  /** What is used and not there, each once, in the order of the alphabet. */
  missingOf({ measures, dimensions, segments, either }: UsedMembers): string[] {
    const missing = [
      ...measures.filter((name) => !this.measures.has(name)),
      ...dimensions.filter((name) => !this.dimensions.has(withoutGrain(name))),
      ...segments.filter((name) => !this.segments.has(name)),
      ...this.missingAmong(either),
    ];
    return [...new Set(missing)].sort();
  }

  /** Of names of measures or dimensions, those that are neither. */
  missingAmong(names: readonly string[]): string[] {
    return names.filter((name) => !this.measures.has(name) && !this.dimensions.has(withoutGrain(name)));
  }
}

/** A time dimension may be named with its grain: `orders.created_at.month`. */
const withoutGrain = (name: string): string => name.split('.', 2).join('.');
