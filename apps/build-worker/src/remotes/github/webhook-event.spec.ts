import { readEvent } from './webhook-event';

describe(readEvent.name, () => {
  const read = (name: string, content: object) => readEvent(name, Buffer.from(JSON.stringify(content)));
  const installation = { id: 7 };
  const repository = { clone_url: 'https://github.com/acme/data.git' };

  it('takes no interest in tags, other events, and forms that it does not know', () => {
    expect(read('push', { ref: 'refs/tags/v1', repository, installation })).toBeUndefined();
    expect(read('push', { ref: 'refs/heads/main', repository })).toBeUndefined();
    expect(read('pull_request', { action: 'opened', installation })).toBeUndefined();
    expect(read('installation', { action: 'new_permissions_accepted', installation })).toBeUndefined();
  });

  it('reads pushes and deletions of branches, and what became of an installation', () => {
    const push = { kind: 'push', installationId: 7, cloneUrl: repository.clone_url };
    expect(read('push', { ref: 'refs/heads/main', repository, installation })).toEqual(push);
    expect(read('push', { ref: 'refs/heads/a/b', deleted: true, repository, installation })).toEqual(push);
    expect(read('installation', { action: 'suspend', installation })).toEqual({ kind: 'suspended', installationId: 7 });
  });
});
