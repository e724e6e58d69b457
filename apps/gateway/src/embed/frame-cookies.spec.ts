import { cookiesFor, frameOf, frameTokens } from './frame-cookies';

const frame = frameOf('a session');

describe('cookies of frames', () => {
  it('are told from all others, and from ones that are broken', () => {
    const header = `a=b; plinth_embed_${frame}=x.y.z; plinth_embed_short=1; plinth_embed_${frameOf('b')}=; =`;
    expect([...frameTokens(header)]).toEqual([[frame, 'x.y.z']]);
    expect(frameTokens(undefined).size).toBe(0);
  });

  it('go to frames of the site that frames us alone, and no script reads them', () => {
    expect(cookiesFor(frame, 'x.y.z', new Map())).toEqual([
      `plinth_embed_${frame}=x.y.z; Path=/embed; Max-Age=86400; HttpOnly; Secure; SameSite=None; Partitioned`,
    ]);
  });

  it('are eight at most: the oldest go', () => {
    const known = new Map(Array.from({ length: 9 }, (_none, index) => [frameOf(`session ${index}`), 'x'] as const));
    const [, ...gone] = cookiesFor(frame, 'new', known);
    expect(gone).toHaveLength(2);
    expect(gone[0]).toContain(`plinth_embed_${frameOf('session 0')}=; Path=/embed; Max-Age=0`);
  });

  it('do not tell the session', () => {
    expect(frame).toMatch(/^[\w-]{12}$/);
    expect(frameOf('another session')).not.toBe(frame);
  });
});
