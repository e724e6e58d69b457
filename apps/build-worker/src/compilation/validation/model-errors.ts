import type { Schemas } from '@plinth/contract';
import type { ModelError } from '../compiler/compile-result';

/** Characters of a build's error text; a broken template can yield an error for every cube. */
const MAX_TEXT = 8_192;

export const toContractError = ({ message, fileName, line }: ModelError): Schemas['DataModelError'] => ({
  message: line === undefined ? message : `Line ${line}: ${message}`,
  fileName: fileName ?? null,
});

/** One error a line, `file:line: message`; when it gets too long, the number of those left out stands at the end. */
export function errorTextOf(errors: readonly ModelError[]): string {
  const shown: string[] = [];
  let length = 0;
  for (const line of errors.map(lineOf)) {
    length += line.length + 1;
    if (shown.length > 0 && length > MAX_TEXT) break;
    shown.push(line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line);
  }
  const missing = errors.length - shown.length;
  return [...shown, ...(missing > 0 ? [`(${missing} more)`] : [])].join('\n');
}

function lineOf({ message, fileName, line }: ModelError): string {
  const place = [fileName, line].filter((part) => part !== undefined).join(':');
  return place === '' ? message : `${place}: ${message}`;
}
