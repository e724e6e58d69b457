/** What a YAML file is made of; members without a value are left out. */
export type Yaml = string | number | boolean | null | readonly Yaml[] | { readonly [key: string]: Yaml | undefined };

/** Words that need no quotes, and that no reader of YAML takes for something else. */
const PLAIN = /^[A-Za-z_][A-Za-z0-9_./-]*$/;
const WORDS_WITH_MEANING = /^(null|true|false|yes|no|on|off|y|n)$/i;
/** What stands in no YAML file as it is: control characters, lone surrogates, separators of lines. */
const UNWRITABLE = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|\p{Surrogate}/gu;

/** One value as YAML, in the order of its members. */
export function yaml(value: Yaml): string {
  return block(value, '').replace(/^\n/, '');
}

/** What follows a key or a dash: text of the same line, or lines of its own. */
function block(value: Yaml, indent: string): string {
  if (value === null || typeof value !== 'object') return ` ${scalar(value)}\n`;
  if (isList(value)) return value.length === 0 ? ' []\n' : `\n${value.map((item) => dash(item, indent)).join('')}`;
  const members = Object.entries(value).filter((entry): entry is [string, Yaml] => entry[1] !== undefined);
  if (members.length === 0) return ' {}\n';
  return `\n${members.map(([key, member]) => `${indent}${scalar(key)}:${block(member, `${indent}  `)}`).join('')}`;
}

function dash(item: Yaml, indent: string): string {
  const lines = block(item, `${indent}  `);
  return `${indent}-${lines.startsWith('\n') ? ` ${lines.slice(indent.length + 3)}` : lines}`;
}

function scalar(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return String(value);
  if (PLAIN.test(value) && !WORDS_WITH_MEANING.test(value)) return value;
  // A JSON string is a double-quoted scalar of YAML.
  return JSON.stringify(value.replace(/\0/g, '')).replace(UNWRITABLE, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function isList(value: Yaml): value is readonly Yaml[] {
  return Array.isArray(value);
}
