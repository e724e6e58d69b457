import fc from 'fast-check';
import { hostileValue } from './hostile-values.mjs';
import { kindOf } from './world.mjs';

const DEEPEST = 6;
const LONGEST_TEXT = 60;
const MOST_ITEMS = 4;
const LARGEST_ID = 2 ** 53 - 1;

/** What a property or a parameter refers to, by its name. */
const referenceKinds = {
  branchName: 'branch-names',
  from: 'branch-names',
  parentBranch: 'branch-names',
  branchId: 'branches',
  fileName: 'paths',
  path: 'paths',
  to: 'paths',
  scimTokenId: 'tokens',
  integrationId: 'oauth-integrations',
  groupId: 'user-groups',
  userAttributeId: 'user-attributes',
  defaultRoleId: 'roles',
};

/** Kind of the thing that `userId`, `deploymentIds` and the like name. */
export function referenceKind(name) {
  if (referenceKinds[name]) return referenceKinds[name];
  const [, stem] = /^([a-z]\w*?)Ids?$/.exec(name) ?? [];
  return stem && kindOf(`${stem.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}s`);
}

/** A place that is filled in when the request is sent, with something that exists then. */
export class Reference {
  constructor(kind, index, type) {
    Object.assign(this, { kind, index, type });
  }

  resolve(world) {
    const value = world.pick(this.kind, this.index);
    if (this.type === 'string') return value ?? 'nothing';
    return value === undefined ? LARGEST_ID - 1 : Number(value);
  }
}

const reference = (kind, type) => fc.nat(30).map((index) => new Reference(kind, index, type));

const MODELS = [
  'cubes:\n  - name: orders\n    sql_table: public.orders\n',
  'cubes:\n  - name: broken\n    sql_table: [\n',
  "cube('products', { sql_table: 'public.products' });\n",
  'views: []\n',
];

/** Values by their property's name, where the schema says less than the platform wants. */
const named = {
  content: fc.constantFrom(...MODELS),
  email: fc.nat(200).map((number) => `fuzz-${number}@example.test`),
  region: fc.constant('local'),
  id: fc.oneof(reference('uploads', 'string'), fc.uuid()),
};

/** Values of the schemas of a document. Of a hundred places `hostility` hold something that the schema does not ask for. */
export class SchemaValues {
  constructor(contract, hostility) {
    this.contract = contract;
    this.hostility = hostility;
  }

  of(schema, name = '', depth = 0) {
    const wanted = this.#wanted(this.contract.resolve(schema), name, depth);
    if (this.hostility === 0) return wanted;
    return fc.oneof(
      { weight: 100 - this.hostility, arbitrary: wanted },
      { weight: this.hostility, arbitrary: hostileValue },
    );
  }

  #wanted(schema, name, depth) {
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices) return fc.oneof(...choices.map((choice) => this.of(choice, name, depth + 1)));
    if (schema.allOf) return this.#all(schema.allOf, name, depth);
    const types = [schema.type ?? (schema.properties ? 'object' : 'any')].flat();
    return fc.oneof(...types.map((type) => this.#ofType(type, schema, name, depth)));
  }

  #all(parts, name, depth) {
    const resolved = parts.map((part) => this.contract.resolve(part));
    return this.#wanted(
      {
        type: 'object',
        required: resolved.flatMap(({ required = [] }) => required),
        properties: Object.assign({}, ...resolved.map(({ properties }) => properties)),
      },
      name,
      depth,
    );
  }

  #ofType(type, schema, name, depth) {
    const kind = referenceKind(name);
    if (kind && (type === 'integer' || type === 'string')) return reference(kind, type);
    if (type === 'string' && named[name]) return named[name];
    if (type === 'object') return this.#object(schema, depth);
    if (type === 'array') return this.#array(schema, name, depth);
    if (type === 'string') return textOf(schema);
    if (type === 'integer') return integerOf(schema);
    if (type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true });
    if (type === 'boolean') return fc.boolean();
    return type === 'null' ? fc.constant(null) : fc.jsonValue({ maxDepth: 2 });
  }

  #object({ properties = {}, required = [], additionalProperties }, depth) {
    const names = Object.keys(properties).filter((name) => depth < DEEPEST || required.includes(name));
    const model = Object.fromEntries(names.map((name) => [name, this.of(properties[name], name, depth + 1)]));
    const declared = fc.record(model, { requiredKeys: this.hostility === 0 ? required.filter((n) => model[n]) : [] });
    const mostlyWhole = fc.oneof({ weight: 3, arbitrary: fc.record(model) }, { weight: 2, arbitrary: declared });
    if (!additionalProperties || depth >= DEEPEST) return mostlyWhole;
    const values =
      additionalProperties === true ? fc.jsonValue({ maxDepth: 2 }) : this.of(additionalProperties, '', depth + 1);
    const more = fc.dictionary(fc.oneof(fc.constantFrom('model/a.yml', 'a'), fc.string({ maxLength: 12 })), values, {
      maxKeys: 3,
    });
    return fc.tuple(mostlyWhole, more).map(([known, others]) => ({ ...others, ...known }));
  }

  #array({ items = {}, minItems = 0 }, name, depth) {
    if (depth >= DEEPEST) return fc.constant([]);
    return fc.array(this.of(items, name, depth + 1), {
      minLength: minItems,
      maxLength: Math.max(minItems, MOST_ITEMS),
    });
  }
}

const words = fc.tuple(fc.constantFrom('fuzz', 'model', 'a'), fc.nat(500)).map(([word, number]) => `${word}-${number}`);

function textOf({ format, pattern, minLength = 0, maxLength = LONGEST_TEXT }) {
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (format === 'uuid') return fc.uuid();
  if (format === 'uri') return words.map((word) => `https://127.0.0.1:9/${word}`);
  if (pattern) return matching(pattern).map((text) => text.slice(0, maxLength));
  return fc.oneof(
    { weight: 3, arbitrary: words.map((word) => word.padEnd(minLength, 'x').slice(0, maxLength)) },
    {
      weight: 1,
      arbitrary: fc.string({
        unit: 'grapheme',
        minLength,
        maxLength: Math.max(minLength, Math.min(maxLength, LONGEST_TEXT)),
      }),
    },
  );
}

/** The library does not know every construct of a pattern. */
function matching(pattern) {
  try {
    return fc.stringMatching(new RegExp(pattern));
  } catch {
    return words;
  }
}

const integerOf = ({ minimum = -LARGEST_ID, maximum = LARGEST_ID }) =>
  fc.oneof(
    fc.integer({ min: Math.max(minimum, 0), max: Math.min(maximum, 100) }),
    fc.constantFrom(Math.max(minimum, -LARGEST_ID), Math.min(maximum, LARGEST_ID)),
  );
