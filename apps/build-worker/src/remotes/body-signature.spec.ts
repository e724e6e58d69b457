import { createHmac } from 'node:crypto';
import { isSigned } from './body-signature';

const secret = 'a secret of the webhook';
const body = Buffer.from('{"zen":"Keep it logically awesome."}');
const signatureOf = (bytes: Buffer, key: string) => `sha256=${createHmac('sha256', key).update(bytes).digest('hex')}`;

describe(isSigned.name, () => {
  it.each([
    ['no signature', ''],
    ['another secret', signatureOf(body, 'another')],
    ['another body', signatureOf(Buffer.from('{}'), secret)],
    ['a cut signature', signatureOf(body, secret).slice(0, -1)],
    ['the older algorithm', `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`],
  ])('refuses %s', (_what, signature) => {
    expect(isSigned(body, signature, secret)).toBe(false);
  });

  // The example of https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
  it('accepts what GitHub gives as an example', () => {
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    expect(isSigned(Buffer.from('Hello, World!'), signature, "It's a Secret to Everybody")).toBe(true);
  });
});
