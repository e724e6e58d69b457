import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts secrets at rest with AES-256-GCM (NIST SP 800-38D). A sealed text is `<key id>.<base64url>`; it opens only
 * with the context that it was sealed for, so that a row's secret cannot be moved to another row.
 */
export class SecretBox {
  private readonly keys: ReadonlyMap<string, Buffer>;
  private readonly currentId: string;

  /**
   * @param keys 32 bytes in base64 each; the first seals, all of them open.
   * @throws RangeError for a key of another length.
   */
  constructor(keys: readonly string[]) {
    const decoded = keys.map((key) => Buffer.from(key, 'base64'));
    if (decoded.length === 0 || decoded.some((key) => key.length !== 32)) {
      throw new RangeError('Encryption keys are 32 bytes in base64');
    }
    this.keys = new Map(decoded.map((key) => [keyId(key), key]));
    this.currentId = keyId(decoded[0] as Buffer);
  }

  /** @param context says what the secret belongs to, for example `deployment:12:api-secret`. */
  seal(plaintext: string, context: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.keys.get(this.currentId) as Buffer, nonce);
    cipher.setAAD(Buffer.from(context));
    const sealed = Buffer.concat([nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${this.currentId}.${sealed.toString('base64url')}`;
  }

  /** @throws Error when the text was altered, sealed for another context, or its key is not configured any more. */
  open(sealed: string, context: string): string {
    const [id = '', encoded = ''] = sealed.split('.');
    const key = this.keys.get(id);
    if (!key) throw new Error(`No encryption key with the id ${id} is configured`);
    const bytes = Buffer.from(encoded, 'base64url');
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes));
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    const plaintext = Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    return plaintext.toString('utf8');
  }

  /** Whether a newer key should replace the one that this text was sealed with. */
  isStale(sealed: string): boolean {
    return !sealed.startsWith(`${this.currentId}.`);
  }
}

const keyId = (key: Buffer): string => createHash('sha256').update(key).digest('hex').slice(0, 8);
