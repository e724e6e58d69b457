import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newEngineFolder } from './engine-folder';

describe(newEngineFolder.name, () => {
  let parent: string;

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'plinth-test-'));
  });
  afterEach(() => rmSync(parent, { recursive: true }));

  /** A folder that a process has made, with what an engine has left in it. */
  const folderOf = (pid: number): string => {
    const folder = join(parent, `plinth-engines-${pid}-aBcDeF`);
    mkdirSync(folder);
    writeFileSync(join(folder, '1'), '');
    return folder;
  };

  it('removes what a process has left that was killed', () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    const left = folderOf(pid);
    newEngineFolder(parent);
    expect(existsSync(left)).toBe(false);
  });

  it('removes what a process of the same number has left, as after a restart of its container', () => {
    const left = folderOf(process.pid);
    utimesSync(left, 0, 0);
    newEngineFolder(parent);
    expect(existsSync(left)).toBe(false);
  });

  it('leaves folders of processes that run, those of other users among them, and what is no such folder', () => {
    const others = [folderOf(process.pid), folderOf(process.ppid), folderOf(1)];
    mkdirSync(join(parent, 'plinth-engines'));
    const own = newEngineFolder(parent);
    for (const folder of others) expect(readdirSync(folder)).toEqual(['1']);
    expect(existsSync(join(parent, 'plinth-engines'))).toBe(true);
    expect(others).not.toContain(own);
  });

  it('makes a folder that nobody else enters', () => {
    expect(statSync(newEngineFolder(parent)).mode & 0o077).toBe(0);
  });
});
