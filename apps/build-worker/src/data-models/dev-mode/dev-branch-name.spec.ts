import { systemPrincipal } from '@plinth/auth';
import { isValidBranchName } from '@plinth/git';
import { devBranchName } from './dev-branch-name';

const nameFor = (userName: string, email: string | null = null, credentialId = 'api-key:7'): string =>
  devBranchName({ ...systemPrincipal(1), userName, email, credentialId });

describe(devBranchName.name, () => {
  it.each([
    ['Ada Lovelace', null, 'ada-lovelace'],
    ['ada@example.test', null, 'ada'],
    ['Zoë  Çelik!', null, 'zoe-celik'],
    ['山田', 'yamada@example.test', 'yamada'],
    ['山田', null, 'api-key-7'],
    [`${'x'.repeat(39)} y`, null, 'x'.repeat(39)],
  ])('spells %p with the address %p as %p', (userName, email, slug) => {
    expect(nameFor(userName, email)).toMatch(new RegExp(`^dev-${slug}-[0-9a-f]{8}$`));
  });

  it('is a branch name that git takes, and another one every time', () => {
    const names = Array.from({ length: 50 }, () => nameFor('../..@{-1}'));
    expect(names.every(isValidBranchName)).toBe(true);
    expect(new Set(names).size).toBe(50);
  });
});
