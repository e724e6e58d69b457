import type { ParameterDescription } from './operation-description';

/** Parameters as they stand in a URL, decoded. */
export type RawParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

const INTEGER = /^-?\d+$/;
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** Text that is not of the type stays text, so that the schema names the problem. */
function scalar(type: ParameterDescription['type'], text: string): unknown {
  if (type === 'integer' && INTEGER.test(text)) return Number(text);
  if (type === 'number' && NUMBER.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function coerced(
  { type, array, required, allowEmptyValue }: ParameterDescription,
  raw: string | readonly string[],
): unknown {
  const texts = typeof raw === 'string' ? [raw] : raw;
  if (array) return texts.map((text) => scalar(type, text));
  if (texts.length !== 1) return texts;
  const text = texts[0] ?? '';
  // An empty optional text parameter says nothing: clients send `branchName=` for "no branch".
  const saysNothing = type === 'string' && !required && !allowEmptyValue && text === '';
  return saysNothing ? undefined : scalar(type, text);
}

/** The declared parameters with the types of the contract; unknown ones are dropped. */
export function coerceParameters(
  declared: readonly ParameterDescription[],
  raw: RawParameters,
): Record<string, unknown> {
  const entries = declared.flatMap((parameter) => {
    const value = Object.hasOwn(raw, parameter.name) ? raw[parameter.name] : undefined;
    const result = value === undefined ? undefined : coerced(parameter, value);
    return result === undefined ? [] : [[parameter.name, result] as const];
  });
  return Object.fromEntries(entries);
}
