import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonCommand } from '@plinth/testing';
import { manifestOf } from './dbt-manifest';

export const STAND_IN_VERSION = '1.11.16';

/** What it finds in any project. */
const MANIFEST = JSON.stringify(manifestOf({ orders: ['id'] }));

/** Lines of a stand-in that reads every project, without looking at it. */
export const READS_ANYTHING: readonly string[] = [
  `with open(manifest, 'w') as file: file.write(${JSON.stringify(MANIFEST)})`,
];

/**
 * A dbt that is loaded in no time, for what does not depend on dbt: an environment of Python in a new folder, where `dbt` does
 * what the lines of Python say; `manifest` is the path of what it is to write. Answers its command.
 */
export function standInDbt(folder: string, lines: readonly string[] = READS_ANYTHING): string {
  const version = execFileSync(pythonCommand, ['-I', '-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], {
    encoding: 'utf8',
  }).trim();
  const modules = join(folder, 'lib', `python${version}`, 'site-packages');
  const write = (path: string, ...content: readonly string[]): void => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, `${content.join('\n')}\n`);
  };
  const interpreter = join(folder, 'bin', 'python');
  const command = join(folder, 'bin', 'dbt');
  write(command, `#!${interpreter}`);
  symlinkSync(pythonCommand, interpreter);
  write(join(folder, 'pyvenv.cfg'), `home = ${join(pythonCommand, '..')}`, 'include-system-site-packages = false');
  write(
    join(modules, `dbt_core-${STAND_IN_VERSION}.dist-info`, 'METADATA'),
    ...['Metadata-Version: 2.1', 'Name: dbt-core', `Version: ${STAND_IN_VERSION}`],
  );
  write(join(modules, 'dbt', 'adapters', 'postgres', '__init__.py'));
  write(
    join(modules, 'dbt', 'cli', 'main.py'),
    ...['import os, sys, types', 'class dbtRunner:', '  def __init__(self, manifest=None): pass'],
    '  def invoke(self, args):',
    "    target = args[args.index('--target-path') + 1]",
    '    os.makedirs(target)',
    "    manifest = os.path.join(target, 'manifest.json')",
    ...lines.map((line) => `    ${line}`),
    '    return types.SimpleNamespace(success=True, exception=None, result=None)',
  );
  return command;
}
