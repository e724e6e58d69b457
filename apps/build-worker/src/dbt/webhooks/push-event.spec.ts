import { followedPush, pushesOf } from './push-event';

const head = 'a'.repeat(40);
const github = (ref: string, after = head) => ({ ref, after, repository: { default_branch: 'trunk' } });
const bitbucket = (...changes: unknown[]) => ({ push: { changes } });
const branch = (name: string) => ({ new: { type: 'branch', name, target: { hash: head } } });

describe(pushesOf, () => {
  it.each([
    ['tags', github('refs/tags/v1')],
    ['branches that are gone', github('refs/heads/main', '0'.repeat(40))],
    ['commits that are none', github('refs/heads/main', 'HEAD')],
    ['other events', { zen: 'Keep it logically awesome.' }],
    ['branches that are gone at Bitbucket', bitbucket({ new: null, old: {} })],
    ['tags of Bitbucket', bitbucket({ new: { type: 'tag', name: 'main', target: { hash: head } } })],
    ['nothing', null],
  ])('passes over %s', (_case, event) => expect(pushesOf(event)).toEqual([]));

  it('finds the branch wherever a provider says it', () => {
    expect(pushesOf(github('refs/heads/a/b'))).toEqual([{ branch: 'a/b', head, defaultBranch: 'trunk' }]);
    const gitlab = {
      ref: 'refs/heads/main',
      after: head,
      project: { default_branch: 'main' },
      repository: { name: 'x' },
    };
    expect(pushesOf(gitlab)).toEqual([{ branch: 'main', head, defaultBranch: 'main' }]);
    expect(pushesOf(bitbucket({ new: null }, branch('main'))).map((push) => push.branch)).toEqual(['main']);
  });
});

describe(followedPush, () => {
  it('is that to the branch that is followed, or to the default branch of the repository', () => {
    const pushes = pushesOf(github('refs/heads/trunk'));
    expect(followedPush(pushes, 'main')).toBeUndefined();
    expect(followedPush(pushes, 'refs/tags/trunk')).toBeUndefined();
    expect(followedPush(pushes, null)).toEqual({ headSha: head, pushedBranch: 'trunk', targetBranch: 'trunk' });
    expect(followedPush(pushes, 'refs/heads/trunk')).toMatchObject({ targetBranch: 'trunk' });
  });

  it('is none where neither the connection nor the provider names a branch', () => {
    expect(followedPush(pushesOf(bitbucket(branch('main'))), null)).toBeUndefined();
    expect(followedPush(pushesOf(bitbucket(branch('main'))), 'main')).toMatchObject({ headSha: head });
  });
});
