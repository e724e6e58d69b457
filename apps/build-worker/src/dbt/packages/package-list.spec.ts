import { SyncFailure } from '../syncs/sync-outcome';
import { packagesOf } from './package-list';

const listed = (text: string) => packagesOf([{ path: 'packages.yml', content: Buffer.from(`packages: [${text}]`) }]);

describe(packagesOf, () => {
  it.each([
    ['a local package beside the project', '{ local: ../other }', /outside of the project/],
    ['a package of the machine', '{ local: /etc }', /outside of the project/],
    [
      'a folder beside a repository',
      '{ git: "https://x.example/y.git", subdirectory: ../z }',
      /outside of the project/,
    ],
    [
      'a secret in an address',
      `{ git: "https://{{ env_var('CUBEJS_DB_PASS') }}@x.example/y.git" }`,
      /is a template: write the address out/,
    ],
    ['no exact version', '{ package: a/b, version: ">1" }', /has no exact version/],
    ['several versions', '{ package: a/b, version: [1.0.0, 1.0.1] }', /has no exact version/],
    ['a kind that nobody knows', '{ tarball: "https://x.example/y.tgz" }', /cannot be installed: tarball/],
    ['more packages than there are', Array.from({ length: 51 }, () => '{ local: x }').join(), /more than 50 packages/],
  ])('refuses %s', (_case, text, message) => {
    const refused = () => listed(text);
    expect(refused).toThrow(SyncFailure);
    expect(refused).toThrow(message);
  });

  it('takes folders of the project, repositories and packages of the registry', () => {
    const text =
      '{ local: ./inner/ }, { git: "https://x.example/y.git", revision: v1 }, { package: a/b, version: 1.2.3 }';
    expect(listed(text)).toEqual({
      packages: [
        { kind: 'local', folder: 'inner' },
        { kind: 'git', url: 'https://x.example/y.git', revision: 'v1', folder: '.' },
        { kind: 'hub', name: 'a/b', version: '1.2.3' },
      ],
      isLocked: false,
    });
  });
});
