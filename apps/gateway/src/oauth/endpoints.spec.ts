import { endpointOf } from './endpoints';

describe('a path', () => {
  it.each(['/auth', '/auth/', '/auth/invitation/abc', '/auth/token/abc', '/auth/device/a/b', '/api/v1/auth/token'])(
    '%s is none of the authorization server',
    (path) => {
      expect(endpointOf(path)).toBeUndefined();
    },
  );

  it('for programs is told from one for people, and a flow by what follows', () => {
    const described = (path: string) => {
      const { name, isPage, rest } = endpointOf(path) ?? {};
      return [name, isPage, rest];
    };
    expect(described('/auth/device/code')).toEqual(['deviceAuthorization', false, undefined]);
    expect(described('/auth/device')).toEqual(['device', true, undefined]);
    expect(described('/auth/device/a-B_9')).toEqual(['device', true, 'a-B_9']);
    expect(described('/auth/consent/x')).toEqual(['consent', true, 'x']);
  });
});
