import type { Schemas } from '@plinth/contract';
import type { ModelError } from '../compiler/compile-result';

/** Characters of a build's error text; a broken template can yield an error for every cube. */
const MAX_TEXT = 8_192;

export const toContractError = ({ message, fileName, line }: ModelError): Schemas['DataModelError'] => ({
  message: line === undefined ? message : `Line ${line}: ${message}`,
  fileName: fileName ?? null,
});

/** One error a line, `file:line: message`; cut off, with the number of those left out, when it gets too long. */
export function errorTextOf(errors: readonly ModelError[]): string {
  const lines = errors.map(({ message, fileName, line }) => {
    const place = [fileName, line].filter((part) => part !== undefined).join(':');
    return place === '' ? message : `${place}: ${message}`;
  });
  let text = '';
  for (const [index, line] of lines.entries()) {
    if (text.length + line.length > MAX_TEXT) return `${text}${cut(line, text)}(${lines.length - index} more)`;
    text += `${line}\n`;
  }
  return text.trimEnd();
}

const cut = (line: string, text: string): string => (text === '' ? `${line.slice(0, MAX_TEXT)}…\n` : '');
