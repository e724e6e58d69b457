import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets at rest with AES-256-GCM. A sealed text is `<key id>.<base64url of nonce, ciphertext and tag>`.
 *
 * The context (what the secret belongs to, for example `deployment:7:secret`) is authenticated with it: a sealed text
 * moved to another row does not open. To rotate, put a new key in front; the others still open what they sealed.
 */
export class SecretBox {
  private readonly keys: ReadonlyMap<string, Buffer>;
  private readonly currentId: string;

  /** @param keys 32 bytes each in base64; the first one seals, every one opens. */
  constructor(keys: readonly string[]) {
    const entries = keys.map((key) => {
      const material = Buffer.from(key, 'base64');
      if (material.length !== 32) throw new Error('An encryption key has 32 bytes in base64');
      return [createHash('sha256').update(material).digest('hex').slice(0, 8), material] as const;
    });
    const [current] = entries;
    if (!current) throw new Error('An encryption key is needed');
    this.currentId = current[0];
    this.keys = new Map(entries);
  }

  /**
   * Ids of the keys that open, the one that seals first: the first 8 hexadecimal digits of a key's SHA-256. They stand in front
   * of what a key has sealed.
   */
  get keyIds(): readonly string[] {
    return [...this.keys.keys()];
  }

  seal(plaintext: string, context: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.keyOf(this.currentId), nonce).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${this.currentId}.${sealed.toString('base64url')}`;
  }

  /** @throws Error when the text was changed, sealed for another context, or under a key that is not configured. */
  open(sealed: string, context: string): string {
    const [keyId = '', body = ''] = sealed.split('.');
    const bytes = Buffer.from(body, 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('A sealed text is malformed');
    const decipher = createDecipheriv('aes-256-gcm', this.keyOf(keyId), bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
    const plaintext = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([plaintext, decipher.final()]).toString('utf8');
  }

  /** Whether the text was sealed under the current key; what is not should be sealed again. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`${this.currentId}.`);
  }

  private keyOf(id: string): Buffer {
    const key = this.keys.get(id);
    if (!key) throw new Error(`The encryption key ${id} is not configured`);
    return key;
  }
}
