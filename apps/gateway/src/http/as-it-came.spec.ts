import type { OperationDescription } from '@plinth/contract';
import { asItCame } from './as-it-came';

const operation = (extra: Partial<OperationDescription>) => extra as OperationDescription;
const request = { headers: { 'x-signature': 'abc', authorization: 'Bearer secret', 'set-cookie': ['a', 'b'] } };
const body = Buffer.from([0, 255, 10, 123]);

describe('asItCame', () => {
  it('hands nothing on that the contract does not declare', () => {
    expect(asItCame(operation({}), request, body)).toEqual({});
    const declared = operation({ headerParameters: ['x-other', 'set-cookie'] });
    expect(asItCame(declared, request, body)).toEqual({ headers: {} });
  });

  it('hands on the declared headers, and every byte of the body', () => {
    const declared = operation({ headerParameters: ['x-signature'], rawBody: true });
    const { headers, rawBody = '' } = asItCame(declared, request, body);
    expect(headers).toEqual({ 'x-signature': 'abc' });
    expect(Buffer.from(rawBody, 'base64')).toEqual(body);
  });
});
