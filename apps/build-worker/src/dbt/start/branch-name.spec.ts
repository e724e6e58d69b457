import { isValidBranchName } from '@plinth/git';
import { syncBranchName } from './branch-name';

const at = new Date('2026-03-02T09:30:05.123Z');

describe(syncBranchName.name, () => {
  it.each([
    ['main', 'main'],
    ['Release/2026.08', 'Release-2026.08'],
    ['refs/heads/main', 'refs-heads-main'],
    ['#42 fix~1', '42-fix-1'],
    ['a..b', 'a-b'],
    ['.x', '-x'],
    ['x'.repeat(60), 'x'.repeat(40)],
  ])('keeps of %s what a branch may be called', (ref, segment) => {
    const name = syncBranchName(ref, at);
    expect(name.slice(0, -9)).toBe(`dbt-sync/${segment}-20260302093005`);
    expect(name).toMatch(/-[0-9a-f]{8}$/);
    expect(isValidBranchName(name)).toBe(true);
  });

  it('is another one every time', () => {
    expect(syncBranchName('main', at)).not.toBe(syncBranchName('main', at));
  });
});
