import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whether a provider signed exactly these bytes. Takes as long for a wrong signature as for the right one. */
export const isSigned = (body: Buffer, signature: string, secret: string): boolean =>
  isSameText(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`, signature);

/** Compares without telling how much is alike. */
export function isSameText(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}
