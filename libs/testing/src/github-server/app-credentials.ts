import { createVerify, generateKeyPairSync, randomBytes } from 'node:crypto';

/** What a GitHub App is known by. */
export interface GithubAppCredentials {
  appId: number;
  slug: string;
  clientId: string;
  clientSecret: string;
  webhookSecret: string;
  /** PKCS#8, PEM. */
  privateKey: string;
  publicKey: string;
}

export function newAppCredentials(): GithubAppCredentials {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const secret = () => randomBytes(20).toString('hex');
  return {
    appId: 4711,
    slug: 'plinth-test',
    clientId: `Iv1.${randomBytes(8).toString('hex')}`,
    clientSecret: secret(),
    webhookSecret: secret(),
    privateKey,
    publicKey,
  };
}

const LONGEST_LIFE_SECONDS = 600;

/** Whether the JSON Web Token is signed by the App and within the times that GitHub accepts. */
export function isAppToken(token: string, { appId, publicKey }: GithubAppCredentials): boolean {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const verifier = createVerify('RSA-SHA256').update(`${header}.${payload}`);
  if (!verifier.verify(publicKey, signature, 'base64url')) return false;
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  const { iss, iat, exp } = decode(payload);
  const now = Math.floor(Date.now() / 1000);
  return (
    decode(header)['alg'] === 'RS256' &&
    String(iss) === String(appId) &&
    Number(iat) <= now &&
    Number(exp) > now &&
    Number(exp) <= now + LONGEST_LIFE_SECONDS
  );
}
