import { endpointOf } from './endpoints';

describe('a path', () => {
  it.each(['/auth', '/auth/', '/auth/invitation/abc', '/auth/token/abc', '/auth/device/a/b', '/api/v1/auth/token'])(
    '%s is none of the authorization server',
    (path) => {
      expect(endpointOf(path)).toBeUndefined();
    },
  );

  it('for programs is told from one for people, and a flow by what follows', () => {
    expect(endpointOf('/auth/device/code')).toEqual({ name: 'deviceAuthorization', isPage: false, rest: undefined });
    expect(endpointOf('/auth/device')).toEqual({ name: 'device', isPage: true, rest: undefined });
    expect(endpointOf('/auth/device/a-B_9')).toEqual({ name: 'device', isPage: true, rest: 'a-B_9' });
    expect(endpointOf('/auth/consent/x')).toEqual({ name: 'consent', isPage: true, rest: 'x' });
  });
});
