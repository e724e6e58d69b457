const CODE = /[\\{}]/g;

/**
 * Text that the compiler gives back as it is. Each string of a YAML file is a Python f-string to it, so braces would be code;
 * written as numbers they are no Jinja either.
 */
export function literal(text: string): string {
  return text.replace(CODE, (character) => `\\x${character.charCodeAt(0).toString(16)}`);
}
