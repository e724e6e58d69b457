import { createHash, createPrivateKey, createPublicKey, hkdfSync, sign, verify, type KeyObject } from 'node:crypto';

/** What a checkpoint says: how long a tenant's chain was at a moment, and how it ended. */
export interface CheckpointStatement {
  tenantId: number;
  /** Position among the tenant's checkpoints, from 1 and without gaps. */
  number: number;
  /** Id of the last event, and how many there were. */
  length: number;
  /** Hash of that event (hex). */
  hash: string;
  /** ISO 8601, to the millisecond. */
  signedAt: string;
}

export interface Checkpoint extends CheckpointStatement {
  keyId: string;
  /** Ed25519, base64url, of the statement as a JSON array. */
  signature: string;
}

/** A key that checkpoints are verified with, as it is handed to auditors. */
export interface CheckpointPublicKey {
  keyId: string;
  /** SubjectPublicKeyInfo, PEM. */
  publicKey: string;
}

const PURPOSE = 'plinth audit checkpoint';
/** RFC 8410: what comes before the seed of an Ed25519 key in PKCS #8. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Signs ends of audit logs. Its keys are derived from those that seal secrets, so whoever owns the database has none of
 * them; the first signs, all of them and those that are given verify.
 */
export class CheckpointSigner {
  private readonly own: readonly { keyId: string; privateKey: KeyObject; publicKey: KeyObject }[];
  private readonly known: ReadonlyMap<string, KeyObject>;

  /** @param encryptionKeys 32 bytes each in base64. */
  constructor(encryptionKeys: readonly string[], others: readonly CheckpointPublicKey[] = []) {
    this.own = encryptionKeys.map(derivedKey);
    this.known = new Map([
      ...others.map(({ publicKey }) => named(createPublicKey(publicKey))),
      ...this.own.map(({ keyId, publicKey }) => [keyId, publicKey] as const),
    ]);
  }

  /** The key that signs, then those that only verify. */
  publicKeys(): CheckpointPublicKey[] {
    return this.own.map(({ keyId, publicKey }) => ({
      keyId,
      publicKey: publicKey.export({ format: 'pem', type: 'spki' }) as string,
    }));
  }

  sign(statement: CheckpointStatement): Checkpoint {
    const [current] = this.own;
    if (!current) throw new Error('An encryption key is needed');
    const signature = sign(null, signedForm(statement), current.privateKey).toString('base64url');
    return { ...statement, keyId: current.keyId, signature };
  }

  /** Why the checkpoint is none of this installation; undefined when it is one. */
  problemOf(checkpoint: Checkpoint): string | undefined {
    const key = this.known.get(checkpoint.keyId);
    if (!key) return `checkpoint ${checkpoint.number} is signed with the key ${checkpoint.keyId}, which is not known`;
    const isSigned = verify(null, signedForm(checkpoint), key, Buffer.from(checkpoint.signature, 'base64url'));
    return isSigned ? undefined : `checkpoint ${checkpoint.number} is not as it was signed`;
  }
}

const signedForm = ({ tenantId, number, length, hash, signedAt }: CheckpointStatement): Buffer =>
  Buffer.from(JSON.stringify([PURPOSE, tenantId, number, length, hash, signedAt]));

function derivedKey(encryptionKey: string) {
  const seed = Buffer.from(hkdfSync('sha256', Buffer.from(encryptionKey, 'base64'), '', PURPOSE, 32));
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const [keyId, publicKey] = named(createPublicKey(privateKey));
  return { keyId, privateKey, publicKey };
}

/** A key goes by a part of its hash. */
function named(publicKey: KeyObject): readonly [string, KeyObject] {
  const bytes = publicKey.export({ format: 'der', type: 'spki' });
  return [createHash('sha256').update(bytes).digest('hex').slice(0, 16), publicKey];
}
