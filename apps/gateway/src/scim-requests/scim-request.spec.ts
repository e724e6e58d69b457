import { anonymousPrincipal, type Principal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import type { Request, Response } from 'express';
import { scimDialect } from '../dialects/scim.dialect';
import { beginExchange, type Exchange } from '../exchange/exchange';
import { describeQuery, describeScimRequest } from './scim-request';

const token: Principal = {
  ...anonymousPrincipal(1, 'acme'),
  kind: 'scim-token',
  credentialId: 'scim-token:3',
  userName: 'Okta',
  isAdmin: true,
};

const answered = (request: object, known: Partial<Exchange> = {}, statusCode = 200): Exchange => ({
  ...beginExchange({ headers: {} } as Request, { statusCode } as Response, scimDialect),
  request: { method: 'GET', path: '/api/scim/v2/Users', query: {}, ...request } as Request,
  context: { requestId: 'request' },
  principal: token,
  ...known,
});

describe(describeScimRequest.name, () => {
  it('says who failed, at what and why, and nothing of the body', () => {
    const request = {
      method: 'POST',
      body: Buffer.from('{"password":"t1meless"}'),
      headers: { authorization: 'sk-x' },
    };
    const entry = describeScimRequest(answered(request, { error: new AppError('user.email_taken', 'Taken') }, 409));
    expect(entry).toEqual({
      id: expect.any(String),
      time: expect.any(String),
      requestId: 'request',
      caller: { kind: 'scim-token', id: 3, userId: null, name: 'Okta' },
      method: 'POST',
      path: '/api/scim/v2/Users',
      query: {},
      status: 409,
      scimType: 'uniqueness',
      code: 'user.email_taken',
      durationMs: expect.any(Number),
    });
  });

  it.each([
    ['nobody', undefined, null],
    ['an anonymous caller', anonymousPrincipal(1, 'acme'), null],
    [
      'an API key',
      { ...token, kind: 'api-key', credentialId: 'api-key:9', userId: 7, userName: 'Ada' },
      { kind: 'api-key', id: 9, userId: 7, name: 'Ada' },
    ],
    [
      'an access token, whose id is a secret of sorts',
      { ...token, kind: 'access-token', credentialId: 'access-token:12', userId: 7, userName: 'Ada' },
      { kind: 'access-token', id: null, userId: 7, name: 'Ada' },
    ],
  ] as const)('knows %s', (_who, principal, caller) => {
    expect(describeScimRequest(answered({}, { principal })).caller).toEqual(caller);
  });

  it('cuts a long path', () => {
    const { path } = describeScimRequest(answered({ path: `/api/scim/v2/${'x'.repeat(9_000)}` }));
    expect(path).toHaveLength(500);
  });
});

describe(describeQuery.name, () => {
  it('shows what SCIM asks with, in any case of letters', () => {
    const query = { filter: 'userName eq "a@b.test"', startindex: '1', COUNT: '100' };
    expect(describeQuery(query)).toEqual(query);
  });

  it('hides values of unknown parameters, and whatever speaks of a password', () => {
    const query = { access_token: 'sk-secret', filter: 'userName eq "a" and Password eq "t1meless"' };
    expect(describeQuery(query)).toEqual({ access_token: '[HIDDEN]', filter: '[HIDDEN]' });
  });

  it('keeps a bounded number of parameters of bounded size', () => {
    const query = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${index}${'n'.repeat(900)}`, 'v']));
    const kept = Object.entries(describeQuery({ filter: 'f'.repeat(9_000), ...query }));
    expect(kept).toHaveLength(8);
    for (const [name] of kept) expect(name.length).toBeLessThanOrEqual(64);
    expect(describeQuery({ filter: 'f'.repeat(9_000) })['filter']).toHaveLength(500);
  });

  it('has no characters that the database refuses, and takes the name of a prototype for a name', () => {
    const filter = `\0${'f'.repeat(498)}\u{1F600}`;
    expect(describeQuery({ filter })['filter']).toBe(`\uFFFD${'f'.repeat(498)}\uFFFD`);
    const query = JSON.parse('{"__proto__":"x"}') as Record<string, unknown>;
    expect(JSON.stringify(describeQuery(query))).toBe('{"__proto__":"[HIDDEN]"}');
  });
});
