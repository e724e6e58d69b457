const ISSUER = 'cubecloud';
const JWT = /^[\w-]+\.([\w-]+)\.[\w-]+$/;

/** Whether a token claims to be that of an embed session, so that embed is asked and nobody else. */
export function isSessionToken(token: string): boolean {
  const claims = JWT.exec(token)?.[1];
  if (claims === undefined) return false;
  try {
    const read: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString());
    return typeof read === 'object' && read !== null && 'iss' in read && read.iss === ISSUER;
  } catch {
    return false;
  }
}
