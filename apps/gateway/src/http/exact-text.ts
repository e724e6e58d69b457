import { isUtf8 } from 'node:buffer';
import { AppError, invalidRequest } from '@plinth/errors';

/** Levels of arrays and objects that a JSON body may have, above those of any body of the contract. */
const MAX_JSON_DEPTH = 256;

const UTF_8 = /^utf-?8$/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/gi;
const LONE_SURROGATE = /\p{Surrogate}/u;
/** Only an escape can bring a surrogate into text that was UTF-8. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
/** A percent sign that encodes nothing. */
export const STRAY_PERCENT = /%(?![\dA-Fa-f]{2})/g;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{` differ in one bit, as do `]` and `}`. */
const CASE_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

const malformed = (reason: string): AppError => new AppError('request.malformed_body', reason);

/**
 * The text of a body. Bytes that are no UTF-8 have no text that could be given back as it came.
 *
 * @throws AppError `request.malformed_body` (400), also for a body that is declared in another charset.
 */
export function textOf(body: Buffer, contentType = ''): string {
  for (const [, charset = ''] of contentType.matchAll(CHARSET)) {
    if (!UTF_8.test(charset)) throw malformed(`The body is declared as ${charset || 'no charset'}: send it as UTF-8`);
  }
  if (!isUtf8(body)) throw malformed('The body is not UTF-8');
  return body.toString('utf8');
}

/**
 * The value of a JSON text, every string of which can be stored.
 *
 * @throws AppError `request.malformed_body` (400) for what is no JSON or is nested too deeply, `request.invalid` (400)
 *   for half of a surrogate pair.
 */
export function jsonOf(text: string): unknown {
  // Before parsing: a value of a million levels is an attack by itself.
  if (isTooDeep(text)) throw malformed(`The body is nested deeper than ${MAX_JSON_DEPTH} levels`);
  const value = parsed(text);
  const place = SURROGATE_ESCAPE.test(text) ? loneSurrogateIn(value, '/body') : undefined;
  if (place !== undefined) throw invalidRequest(place, 'holds half of a surrogate pair');
  return value;
}

/**
 * The text of a URL-encoded form or query; its parts can be decoded without loss.
 *
 * @throws AppError `request.malformed_body` (400).
 */
export function formTextOf(body: Buffer, contentType?: string): string {
  const text = textOf(body, contentType);
  if (!isEncodedUtf8(text)) throw malformed('The form is not UTF-8');
  return text;
}

/** Whether percent-encoded text stands for UTF-8; a percent sign that encodes nothing stands for itself. */
export function isEncodedUtf8(text: string): boolean {
  try {
    decodeURIComponent(text.replace(STRAY_PERCENT, '%25'));
    return true;
  } catch {
    return false;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(`The body is not JSON: ${(error as Error).message}`);
  }
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if ((code | CASE_BIT) === CLOSING) depth -= 1;
    else if ((code | CASE_BIT) === OPENING && ++depth > MAX_JSON_DEPTH) return true;
  }
  return false;
}

/** Where the string that begins at a quote ends; strings are long, so they are searched rather than walked through. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}

/** Pointer to the first text with half of a pair, or to what has such a name. */
function loneSurrogateIn(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return LONE_SURROGATE.test(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const place = LONE_SURROGATE.test(key) ? path : loneSurrogateIn(item, `${path}/${key}`);
    if (place !== undefined) return place;
  }
  return undefined;
}
