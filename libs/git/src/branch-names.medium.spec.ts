import { spawnSync } from 'node:child_process';
import { checkRef, isValidBranchName } from './branch-names';

const parts = [
  'a',
  'é',
  '.',
  '..',
  '/',
  '-',
  '@',
  '@{',
  '{',
  '.lock',
  '~',
  '^',
  ':',
  '?',
  '*',
  '[',
  '\\',
  ' ',
  '\t',
  '\x7f',
  'HEAD',
];

/** Every string of up to three parts. */
function candidates(): string[] {
  const names = parts.flatMap((a) => [a, ...parts.flatMap((b) => [a + b, ...parts.map((c) => a + b + c)])]);
  return [...new Set(names)];
}

/** Git's own answers, from one shell so that thousands of names cost seconds, not minutes. */
function gitAccepts(names: readonly string[]): Set<string> {
  const script =
    'while IFS= read -r -d "" n; do git check-ref-format --branch "$n" >/dev/null 2>&1 && printf "%s\\0" "$n"; done';
  const { stdout } = spawnSync('bash', ['-c', script], { cwd: '/', input: names.join('\0') + '\0', encoding: 'utf8' });
  return new Set(stdout.split('\0').filter((name) => name !== ''));
}

describe('isValidBranchName', () => {
  it('agrees with git check-ref-format --branch', () => {
    const names = candidates().filter((_, index) => index % 4 === 0 || index < 600);
    const accepted = gitAccepts(names);
    expect(accepted.size).toBeGreaterThan(50);
    expect(names.filter((name) => isValidBranchName(name) !== accepted.has(name))).toEqual([]);
  });

  it.each(['', 'a\0b', 'a\nb', '\ud800', 'a'.repeat(251), `${'a/'.repeat(600)}a`])('refuses %j', (name) => {
    expect(isValidBranchName(name)).toBe(false);
  });
});

describe('checkRef', () => {
  it.each(['HEAD', 'refs', 'refs/heads', 'refs/heads/', 'refs//a', 'refs/heads/a..b', 'refs/heads/a\nb', '--all'])(
    'refuses %j',
    (ref) => expect(() => checkRef(ref)).toThrow(TypeError),
  );

  it('takes a full reference', () => expect(checkRef('refs/heads/a/b')).toBe('refs/heads/a/b'));
});
