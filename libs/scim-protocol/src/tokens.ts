import { AppError } from '@plinth/errors';

/** A piece of a filter or path. Words are names, operators and literals that are not in quotes. */
export type Token = { kind: 'word'; text: string } | { kind: 'string'; text: string } | { kind: '(' | ')' | '[' | ']' };

const LONGEST = 4_096;
const word = /[^\s()[\]"]+/y;
/** A JSON string: anything but quotes, backslashes and control characters, or an escape sequence. */
const quoted = /"(?:[^"\\]|\\.)*"/y;

/** Characters of a value path that ends with `]` may go on with `.name`. */
export function tokenise(text: string): Token[] {
  if (text.length > LONGEST) throw invalidFilter(`must have at most ${LONGEST} characters`);
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    const character = text[at] ?? '';
    if (/\s/.test(character)) at += 1;
    else if ('()[]'.includes(character)) {
      tokens.push({ kind: character as '(' });
      at += 1;
    } else {
      const token = character === '"' ? stringAt(text, at) : wordAt(text, at);
      tokens.push(token.token);
      at = token.end;
    }
  }
  return tokens;
}

function wordAt(text: string, at: number): { token: Token; end: number } {
  word.lastIndex = at;
  const [match = ''] = word.exec(text) ?? [];
  return { token: { kind: 'word', text: match }, end: at + match.length };
}

function stringAt(text: string, at: number): { token: Token; end: number } {
  quoted.lastIndex = at;
  const [match] = quoted.exec(text) ?? [];
  if (match === undefined) throw invalidFilter('has a quotation mark without its counterpart');
  try {
    return { token: { kind: 'string', text: JSON.parse(match) as string }, end: at + match.length };
  } catch {
    throw invalidFilter('has a text that is not a JSON string');
  }
}

export const invalidFilter = (message: string): AppError =>
  new AppError('scim.invalid_filter', `The filter ${message}`);
