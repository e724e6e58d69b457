import { randomBytes } from 'node:crypto';
import type { Principal } from '@plinth/auth';
import { DEV_PREFIX } from '../branches/branch-rules';

const MAX_SLUG = 40;

/** `dev-<user>-<short id>`, with the user spelled in letters that every system takes. */
export function devBranchName({ userName, email, credentialId }: Principal): string {
  const slug = [userName.replace(/@.*$/, ''), email?.replace(/@.*$/, '') ?? '', credentialId].map(slugOf).find(Boolean);
  return `${DEV_PREFIX}${slug ?? 'user'}-${randomBytes(4).toString('hex')}`;
}

const slugOf = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG)
    .replace(/^-+|-+$/g, '');
