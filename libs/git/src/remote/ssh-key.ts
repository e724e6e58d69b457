import { type KeyObject, createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';

/** An ed25519 key pair for SSH. */
export interface SshKeyPair {
  /** PKCS #8 in PEM. */
  privateKey: string;
  /** One line as in `authorized_keys`: `ssh-ed25519 AAAA... comment`. */
  publicKey: string;
}

const KEY_TYPE = 'ssh-ed25519';

/** A string of the SSH protocol: its length in four bytes, then its bytes (RFC 4251, section 5). */
export function sshString(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Makes a key pair; `comment` tells a reader of the public half whose it is. */
export function generateSshKeyPair(comment: string): SshKeyPair {
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicKey = `${KEY_TYPE} ${sshPublicKeyBlob(privateKey).toString('base64')} ${comment.replace(/\s+/g, '-')}`;
  return { privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), publicKey };
}

/** @throws Error unless `pem` is an ed25519 private key in PKCS #8 */
export function readSshPrivateKey(pem: string): KeyObject {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('Not an ed25519 key');
  return key;
}

/** The public half as SSH transfers it (RFC 8709, section 4). */
export function sshPublicKeyBlob(privateKey: KeyObject): Buffer {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return Buffer.concat([sshString(KEY_TYPE), sshString(Buffer.from(x, 'base64url'))]);
}

/** `SHA256:...`, as `ssh-keygen -l` shows it. */
export function sshFingerprint(publicKey: string): string {
  const blob = Buffer.from(publicKey.split(' ')[1] ?? '', 'base64');
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}
