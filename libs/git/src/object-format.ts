import { createHash } from 'node:crypto';
import { type ObjectId, checkObjectId } from './object-id';

export type ObjectType = 'blob' | 'tree' | 'commit';

/** File modes that a data model may hold; the names are git's octal spelling. */
export const FILE_MODE = '100644';
export const TREE_MODE = '40000';

export interface TreeEntry {
  mode: string;
  name: string;
  oid: ObjectId;
}

export interface Signature {
  name: string;
  email: string;
  at: Date;
}

export interface CommitFields {
  tree: ObjectId;
  parents: readonly ObjectId[];
  author: Signature;
  /** Who applied the change; default: the author. */
  committer?: Signature;
  message: string;
  /** `Key: value` lines at the end of the message. */
  trailers?: Readonly<Record<string, string>>;
}

/** An object as git hashes and stores it, before compression. */
export function frameObject(type: ObjectType, content: Buffer): { oid: ObjectId; framed: Buffer } {
  const framed = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  return { oid: createHash('sha1').update(framed).digest('hex'), framed };
}

/** Git sorts tree entries by bytes, a directory as if its name ended in a slash. */
export function encodeTree(entries: readonly TreeEntry[]): Buffer {
  const keyed = entries.map((entry) => ({
    key: Buffer.from(entry.mode === TREE_MODE ? `${entry.name}/` : entry.name),
    bytes: Buffer.concat([Buffer.from(`${entry.mode} ${entry.name}\0`), Buffer.from(checkObjectId(entry.oid), 'hex')]),
  }));
  keyed.sort((a, b) => Buffer.compare(a.key, b.key));
  return Buffer.concat(keyed.map((entry) => entry.bytes));
}

export function decodeTree(content: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const nul = content.indexOf(0, space);
    entries.push({
      mode: content.toString('latin1', at, space),
      name: content.toString('utf8', space + 1, nul),
      oid: content.toString('hex', nul + 1, nul + 21),
    });
    at = nul + 21;
  }
  return entries;
}

export function encodeCommit(commit: CommitFields): Buffer {
  const lines = [
    `tree ${checkObjectId(commit.tree)}`,
    ...commit.parents.map((parent) => `parent ${checkObjectId(parent)}`),
    `author ${signatureLine(commit.author)}`,
    `committer ${signatureLine(commit.committer ?? commit.author)}`,
  ];
  return Buffer.from(`${lines.join('\n')}\n\n${messageText(commit)}`);
}

/** The id of the tree that a commit object names. */
export function treeOfCommit(content: Buffer): ObjectId {
  return checkObjectId(content.toString('latin1', 5, 45));
}

function signatureLine({ name, email, at }: Signature): string {
  const seconds = Math.floor(at.getTime() / 1000);
  return `${identityText(name) || 'unknown'} <${identityText(email)}> ${seconds} +0000`;
}

/** Git's identity lines have no escapes: what would end a field is left out. */
function identityText(text: string): string {
  return text.replace(/[<>\x00-\x1f\x7f]/g, '').trim();
}

function messageText({ message, trailers = {} }: CommitFields): string {
  const body = message.replaceAll('\0', '').trimEnd();
  const lines = Object.entries(trailers).map(([key, value]) => `${key}: ${value.replace(/[\x00-\x1f]+/g, ' ')}`);
  return lines.length > 0 ? `${body}\n\n${lines.join('\n')}\n` : `${body}\n`;
}
