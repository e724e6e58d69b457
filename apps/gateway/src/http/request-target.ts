import { AppError } from '@plinth/errors';
import type { Request } from 'express';
import { isEncodedUtf8, STRAY_PERCENT } from './exact-text';

type Target = Pick<Request, 'url' | 'headers' | 'rawHeaders'> & { originalUrl?: string };

const ABSOLUTE = /^[a-z][a-z\d+.-]*:\/\//i;
const NOT_ASCII = /[^\x21-\x7e]/;

const malformed = (reason: string): AppError => new AppError('request.malformed_target', reason);

/**
 * Refuses a request whose target would be read as something else than was sent: it names two hosts (RFC 9112, 3.2), or
 * its path or query is no text when it is decoded.
 *
 * @throws AppError `request.malformed_target` (400).
 */
export function requireSoundTarget({ url, originalUrl = url, headers: { host }, rawHeaders }: Target): void {
  if (NOT_ASCII.test(originalUrl)) throw malformed('The address holds characters that have to be percent-encoded');
  if (originalUrl.includes('%')) requireSoundEncoding(originalUrl);
  if (countHosts(rawHeaders) > 1) {
    throw malformed('The request names its host more than once');
  }
  if (ABSOLUTE.test(originalUrl) && !isOwnAddress(originalUrl, host)) {
    throw malformed('The address names another host than the Host header');
  }
}

/** Whether the target has a path that can be read. One that has none gets an empty one, for whoever refuses it. */
export function hasPath(request: Request): boolean {
  try {
    return typeof request.path === 'string';
  } catch {
    Object.defineProperty(request, 'path', { value: '' });
    return false;
  }
}

function requireSoundEncoding(address: string): void {
  const [path = ''] = address.split('?', 1);
  if (path.search(STRAY_PERCENT) !== -1) throw malformed('The path holds a percent sign that encodes nothing');
  if (!isEncodedUtf8(address)) throw malformed('The address is not UTF-8 once it is decoded');
}

/** Names and values take turns in the list. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

function isOwnAddress(address: string, host = ''): boolean {
  const [named, own] = [address, `${address.slice(0, address.indexOf(':'))}://${host}`].map((text) =>
    URL.canParse(text) ? new URL(text) : undefined,
  );
  return named !== undefined && named.host === own?.host && named.username === '' && named.password === '';
}
