import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** Without `@` alone, which stands for HEAD: it is refused below, whatever git says. */
const upToTwo = parts.flatMap((a) => [a, ...parts.map((b) => a + b)]).filter((name) => name !== '@');
const ofThree = upToTwo.flatMap((a) => parts.map((b) => a + b));

let repository: string;
beforeAll(() => {
  repository = mkdtempSync(join(tmpdir(), 'plinth-names-'));
  execFileSync('git', ['init', '--quiet', '--bare', repository]);
});
afterAll(() => rmSync(repository, { recursive: true }));

/** What git says of these as names of branches: a process each. */
function acceptedOneByOne(names: readonly string[]): Set<string> {
  const script =
    'while IFS= read -r -d "" n; do git check-ref-format --branch "$n" >/dev/null 2>&1 && printf "%s\\0" "$n"; done; true';
  const input = names.map((name) => `${name}\0`).join('');
  const stdout = execFileSync('bash', ['-c', script], { cwd: '/', input, encoding: 'utf8' });
  return new Set(stdout.split('\0').filter((name) => name !== ''));
}

/** What git says of these as references below `refs/heads/`: one process for all, which passes well-formed ones on. */
function acceptedAtOnce(names: readonly string[]): Set<string> {
  const input = names.map((name) => `refs/heads/${name}\n`).join('');
  const args = [`--git-dir=${repository}`, 'show-ref', '--exclude-existing'];
  const stdout = execFileSync('git', args, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] });
  return new Set(stdout.split('\n').map((ref) => ref.slice('refs/heads/'.length)));
}

/** Refused as branches alone, or split where references are read from lines. */
const isSpecial = (name: string): boolean => name.startsWith('-') || name === 'HEAD' || /[ \t]/.test(name);

describe('isValidBranchName', () => {
  it('agrees with git check-ref-format --branch', () => {
    const names = [...new Set(upToTwo)].filter((name, index) => isSpecial(name) || index % 10 === 0);
    const accepted = acceptedOneByOne(names);
    expect(accepted.size).toBeGreaterThan(2);
    expect(names.filter((name) => isValidBranchName(name) !== accepted.has(name))).toEqual([]);
  });

  it('agrees with what git says of references', () => {
    const names = [...new Set([...upToTwo, ...ofThree])].filter((name) => !isSpecial(name));
    const accepted = acceptedAtOnce(names);
    expect(accepted.size).toBeGreaterThan(200);
    expect(names.filter((name) => isValidBranchName(name) !== accepted.has(name))).toEqual([]);
  });

  it.each(['', '@', 'a\0b', 'a\nb', '\ud800', 'a'.repeat(251), `${'a/'.repeat(600)}a`])('refuses %j', (name) => {
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
