import { createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { validateRequest, type BodyOf } from '@plinth/contract';
import { AppError, invalidRequest } from '@plinth/errors';
import { isValidBranchName } from '@plinth/git';
import type { ByteStream } from '@plinth/messaging';
import { requestContext } from '@plinth/observability';
import { bodyMembers, type MemberPiece } from './body-members';

/** What a start asks for; `manifest` says where the one that came is kept. */
export interface SyncRequest {
  source: 'git' | 'manifest';
  output: 'branch' | 'files';
  ref: string | null;
  branchName: string | null;
  manifest: string | null;
}

type Fields = NonNullable<BodyOf<'startDbtSync'>>;

/** Bytes of all members but the manifest. */
const MAX_SMALL_BYTES = 64 * 1024;
const OPEN_OBJECT = 0x7b;

/**
 * Reads the body of a start as it arrives.
 *
 * @param keep stores the bytes of a manifest and answers where
 * @throws AppError `request.malformed_body` or `request.invalid` (400), and what `keep` throws
 */
export async function readSyncRequest(
  deploymentId: number,
  body: ByteStream | undefined,
  keep: (manifest: AsyncIterable<Uint8Array>) => Promise<string>,
): Promise<SyncRequest> {
  const { fields, manifest } = await readFields(hashed(body), keep);
  const placeholder = manifest === null ? {} : { manifest: {} };
  const verdict = validateRequest('startDbtSync', {
    path: { deploymentId: String(deploymentId) },
    query: {},
    body: { ...fields, ...placeholder },
  });
  if (!verdict.ok) {
    const [first] = verdict.problems;
    throw new AppError('request.invalid', first ? `${first.path} ${first.message}` : 'The request is not valid', {
      details: verdict.problems,
    });
  }
  return checked(verdict.body ?? {}, manifest);
}

function checked({ source, output, ref, branchName }: Fields, manifest: string | null): SyncRequest {
  if (ref !== undefined && ref !== null) requireRef(ref);
  if (source === 'manifest' && manifest === null) {
    throw invalidRequest('/body/manifest', 'is required with the source manifest');
  }
  return {
    source: source ?? 'git',
    output: output ?? 'branch',
    ref: ref ?? null,
    branchName: branchName?.trim() ? branchName : null,
    manifest: source === 'manifest' ? manifest : null,
  };
}

/** @throws AppError `request.invalid` (400) for what can be no branch or tag, and for ids of commits */
function requireRef(ref: string): void {
  if (isCommitId(ref)) throw invalidRequest('/body/ref', 'is the id of a commit: give a branch or a tag');
  const name = ref.replace(/^refs\/(heads|tags)\//, '');
  if (!isValidBranchName(name)) throw invalidRequest('/body/ref', 'can be neither a branch nor a tag');
}

/** Whole ids, and short ones; dates and versions of digits alone are none. */
const isCommitId = (ref: string): boolean =>
  /^([0-9a-f]{40}|[0-9a-f]{64})$/i.test(ref) || (/^[0-9a-f]{7,39}$/i.test(ref) && /\d/.test(ref) && /[a-f]/i.test(ref));

async function readFields(
  body: AsyncIterable<Uint8Array>,
  keep: (manifest: AsyncIterable<Uint8Array>) => Promise<string>,
): Promise<{ fields: Record<string, unknown>; manifest: string | null }> {
  const members = bodyMembers(body);
  const small = new Map<string, Buffer[]>();
  let manifest: string | null = null;
  let bytes = 0;
  try {
    for (let next = await members.next(); !next.done; next = await members.next()) {
      const { name, bytes: piece } = next.value;
      if (name === 'manifest' && piece[0] === OPEN_OBJECT && !small.has(name)) {
        manifest = await keep(restOf(next.value, members));
        continue;
      }
      bytes += piece.length;
      if (bytes > MAX_SMALL_BYTES) throw invalidRequest('/body', 'has too much beside the manifest');
      small.set(name, [...(small.get(name) ?? []), piece]);
    }
  } finally {
    await members.return();
  }
  const fields = [...small].map(([name, pieces]) => [name, parsed(name, Buffer.concat(pieces))]);
  return { fields: Object.fromEntries(fields) as Record<string, unknown>, manifest };
}

/** The value that begins with this piece; the members after it stay. */
async function* restOf(
  first: MemberPiece,
  members: AsyncGenerator<MemberPiece, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let piece = first; ;) {
    yield piece.bytes;
    if (piece.last) return;
    const next = await members.next();
    if (next.done) return;
    piece = next.value;
  }
}

function parsed(name: string, text: Buffer): unknown {
  try {
    if (isUtf8(text)) return JSON.parse(text.toString('utf8'));
  } catch {
    // Told below.
  }
  throw new AppError('request.malformed_body', `The body is not JSON: ${name} cannot be read`);
}

/** The fingerprint of the request's idempotency claim lacks the body until that has been read. */
async function* hashed(body: ByteStream | undefined): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256');
  for await (const chunk of body ?? []) {
    hash.update(chunk);
    yield chunk;
  }
  const context = requestContext();
  if (!context?.idempotency) return;
  const { fingerprint } = context.idempotency;
  context.idempotency = { ...context.idempotency, fingerprint: hash.update(fingerprint).digest('hex') };
}
