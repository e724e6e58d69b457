/** Type of an attribute's value (RFC 7643, section 2.3). */
export type AttributeType = 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex';

/** An attribute with its characteristics, in the words of RFC 7643, section 7. */
export interface Attribute {
  readonly name: string;
  readonly type: AttributeType;
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: 'readOnly' | 'readWrite' | 'writeOnly';
  readonly returned: 'always' | 'default' | 'never';
  readonly uniqueness: 'none' | 'server';
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
  /** Most characters of a text. Not a characteristic of the RFC, so schemas are served without it. */
  readonly maxLength?: number;
}

/** A named set of attributes. */
export interface Schema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

/** For texts that resources are found by: keys of an index are short. */
export const KEY_LENGTH = 512;

type Traits = Partial<Omit<Attribute, 'name' | 'description'>>;

/** A single text that is compared without regard to case, unless the traits say otherwise. */
export const attribute = (name: string, description: string, traits: Traits = {}): Attribute => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...traits,
});

export const complex = (name: string, description: string, subAttributes: readonly Attribute[], traits: Traits = {}) =>
  attribute(name, description, { type: 'complex', subAttributes, ...traits });

const flag = (name: string, description: string): Attribute => attribute(name, description, { type: 'boolean' });

/** A list of values, each with a kind and a mark for the preferred one. */
export const plural = (
  name: string,
  description: string,
  canonicalValues: readonly string[],
  traits: Traits = {},
  values: readonly Attribute[] = [attribute('value', 'The value itself.')],
): Attribute =>
  complex(
    name,
    description,
    [
      ...values,
      attribute('display', 'The value as people read it.'),
      attribute('type', 'What the value is for.', canonicalValues.length > 0 ? { canonicalValues } : {}),
      flag('primary', 'Whether this is the preferred value; one at most is.'),
    ],
    { multiValued: true, ...traits },
  );

const readOnly = { mutability: 'readOnly' } as const;

/** Attributes that every resource has (RFC 7643, section 3.1). */
export const commonAttributes: readonly Attribute[] = [
  attribute('id', 'Id that the service gave the resource.', {
    ...readOnly,
    returned: 'always',
    caseExact: true,
    uniqueness: 'server',
  }),
  attribute('externalId', 'Id of the resource at the identity provider.', { caseExact: true, maxLength: KEY_LENGTH }),
  complex(
    'meta',
    'Facts about the resource itself.',
    [
      attribute('resourceType', 'Kind of the resource.', { ...readOnly, caseExact: true }),
      attribute('created', 'When the resource was made.', { ...readOnly, type: 'dateTime' }),
      attribute('lastModified', 'When the resource last changed.', { ...readOnly, type: 'dateTime' }),
      attribute('location', 'Address of the resource.', {
        ...readOnly,
        type: 'reference',
        referenceTypes: ['uri'],
        caseExact: true,
      }),
      attribute('version', 'Entity tag of the resource.', { ...readOnly, caseExact: true }),
    ],
    readOnly,
  ),
];

/** URNs of the schemas that a resource has attributes of. Schemas do not describe it (RFC 7643, section 3). */
export const schemasAttribute: Attribute = attribute('schemas', 'Schemas of the resource.', {
  ...readOnly,
  type: 'reference',
  multiValued: true,
  returned: 'always',
});

/** The attribute of that name, in whatever case. */
export const findAttribute = (attributes: readonly Attribute[], name: string): Attribute | undefined => {
  const wanted = name.toLowerCase();
  return attributes.find((each) => each.name.toLowerCase() === wanted);
};
