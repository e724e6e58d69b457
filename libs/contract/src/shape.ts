import type { ContractDocument } from './document';

/** The keywords of a schema that say what objects and arrays hold. */
interface Schema {
  $ref?: string;
  allOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
}

/** What a value may hold, whichever of the alternatives of its schema it is. */
export interface Shape {
  /** Properties of an object. */
  properties: ReadonlyMap<string, Shape>;
  /** Whether an object may hold others, too, by what the contract says of it. */
  isOpen: boolean;
  /** Of the values of these others. */
  values: Shape | undefined;
  /** Of the items of an array. */
  items: Shape | undefined;
}

/** Shapes of the schemas of a document. Schemas refer to themselves, so each one is read when its shape is first asked for. */
export class Shapes {
  private readonly known = new WeakMap<object, Shape>();

  constructor(private readonly document: ContractDocument) {}

  of(schema: object): Shape {
    const known = this.known.get(schema);
    if (known) return known;
    const shape = new LazyShape(this.alternatives(schema), (each) => this.of(each));
    this.known.set(schema, shape);
    return shape;
  }

  /** The schema, those that it refers to, and those that it is made of. */
  private alternatives(schema: Schema): readonly Schema[] {
    const { $ref, allOf = [], anyOf = [], oneOf = [] } = schema;
    const target = $ref === undefined ? [] : [this.document.components['schemas']?.[nameIn($ref)] as Schema];
    return [schema, ...[...target, ...allOf, ...anyOf, ...oneOf].flatMap((part) => this.alternatives(part))];
  }
}

const nameIn = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

class LazyShape implements Shape {
  private read: ReadonlyMap<string, Shape> | undefined;

  constructor(
    private readonly alternatives: readonly Schema[],
    private readonly shapeOf: (schema: Schema) => Shape,
  ) {}

  get properties(): ReadonlyMap<string, Shape> {
    const entries = this.alternatives.flatMap(({ properties = {} }) => Object.entries(properties));
    return (this.read ??= new Map(entries.map(([name, schema]) => [name, this.shapeOf(schema)])));
  }

  get isOpen(): boolean {
    return this.alternatives.some(({ additionalProperties = false }) => additionalProperties !== false);
  }

  get values(): Shape | undefined {
    const found = this.alternatives.find(({ additionalProperties }) => typeof additionalProperties === 'object');
    return found && this.shapeOf(found.additionalProperties as Schema);
  }

  get items(): Shape | undefined {
    const found = this.alternatives.find(({ items }) => items);
    return found?.items && this.shapeOf(found.items);
  }
}
