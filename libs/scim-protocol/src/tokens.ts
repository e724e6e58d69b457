import { AppError } from '@plinth/errors';

/** A piece of a filter or path. Words are names, operators and literals that are not in quotes. */
export type Token = TextToken | { kind: '(' | ')' | '[' | ']' };

interface TextToken {
  kind: 'word' | 'string';
  text: string;
}

/** A piece, and where what follows it begins. */
interface Found {
  token: TextToken;
  end: number;
}

const LONGEST = 4_096;
/** What PostgreSQL keeps in no text: the null character, and halves of characters beyond the basic plane. */
export const UNSTORABLE = /[\0\p{Surrogate}]/u;
const word = /[^\s()[\]"]+/y;
/** A JSON string: anything but quotes, backslashes and control characters, or an escape sequence. */
const quoted = /"(?:[^"\\]|\\.)*"/y;

/**
 * The pieces of a filter, or of the part of a path that begins with a bracket.
 *
 * @throws AppError `scim.invalid_filter` (400) for a text that is too long or not JSON.
 */
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
      const { token, end } = character === '"' ? stringAt(text, at) : wordAt(text, at);
      if (UNSTORABLE.test(token.text)) throw invalidFilter('holds the null character or half a character');
      tokens.push(token);
      at = end;
    }
  }
  return tokens;
}

function wordAt(text: string, at: number): Found {
  word.lastIndex = at;
  const [match = ''] = word.exec(text) ?? [];
  return { token: { kind: 'word', text: match }, end: at + match.length };
}

function stringAt(text: string, at: number): Found {
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
