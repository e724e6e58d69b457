import { nearestName } from './nearest-name';
import { escaped } from './problems';
import type { Shape } from './shape';

/** A property that the contract does not know and that looks like one that it knows. */
export interface Misspelt {
  /** JSON pointer, in which `*` stands for names that are the client's own. */
  path: string;
  /** The property that is likely meant. */
  meant: string;
}

/** Bodies can be large, and finding what was meant takes long for each name: so much of them is looked at. */
const limits = { values: 2_000, strangers: 64, found: 8 };

type Properties = Readonly<Record<string, unknown>>;

/** The first properties of a body, wherever in it, that look misspelt. */
export function misspeltIn(shape: Shape, value: unknown, path: string): readonly Misspelt[] {
  const search = new Search();
  search.visit(shape, value, path);
  return search.found;
}

/** Whether the value is an object without a single property that its shape has. */
export const nothingKnown = ({ properties }: Shape, value: unknown): boolean =>
  isObject(value) && !Object.keys(value).some((name) => properties.has(name));

class Search {
  readonly found: Misspelt[] = [];
  private values = 0;
  private strangers = 0;

  visit(shape: Shape, value: unknown, path: string): void {
    if (!isObject(value) && !Array.isArray(value)) return;
    if ((this.values += 1) > limits.values || this.found.length === limits.found) return;
    if (Array.isArray(value)) this.visitItems(shape, value, path);
    else this.visitProperties(shape, value, path);
  }

  private visitItems({ items }: Shape, value: readonly unknown[], path: string): void {
    if (!items) return;
    for (const [index, item] of value.slice(0, limits.values).entries()) this.visit(items, item, `${path}/${index}`);
  }

  private visitProperties(shape: Shape, value: Properties, path: string): void {
    const { properties, isOpen, values } = shape;
    if (!isOpen) this.compare([...properties.keys()], value, path);
    for (const [name, property] of properties) {
      if (Object.hasOwn(value, name)) this.visit(property, value[name], `${path}/${escaped(name)}`);
    }
    if (!values) return;
    for (const name of Object.keys(value).slice(0, limits.values)) {
      if (!properties.has(name)) this.visit(values, value[name], `${path}/*`);
    }
  }

  /** What is given as well cannot be what another one was meant to be. */
  private compare(names: readonly string[], value: Properties, path: string): void {
    const missing = names.filter((name) => !Object.hasOwn(value, name));
    for (const name in value) {
      if (names.includes(name) || this.found.length === limits.found) continue;
      if ((this.strangers += 1) > limits.strangers) return;
      const meant = nearestName(name, missing);
      if (meant !== undefined) this.found.push({ path: `${path}/${escaped(name)}`, meant });
    }
  }
}

const isObject = (value: unknown): value is Properties =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
