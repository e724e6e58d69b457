import type { Command } from 'commander';
import { BackupReader } from '../backup/backup-reader';
import { makeBackup } from '../backup/make-backup';
import { runningRelease } from '../backup/release';
import { checkBackup, restoreBackup } from '../backup/restore-backup';
import { print } from './open-database';
import { configuredKeyIds, requirePlatform, withStoredPlatform } from './stored-platform';

/** `plinth backup`: everything that is stored, or one account, into a file, while the platform runs. */
export function addBackupCommand(program: Command): void {
  program
    .command('backup')
    .description(
      'Write everything that is stored into a file, but for the keys that seal secrets; the platform may run',
    )
    .requiredOption('--to <file>', 'file to make, which must not be there yet')
    .option('--tenant <name>', 'name of the only account to keep; everything when absent')
    .action(backUp);
}

/** `plinth restore`: what `plinth backup` has written, into an empty platform; one account also beside others. */
export function addRestoreCommand(program: Command): void {
  program
    .command('restore')
    .description('Restore a backup into an empty platform that does not run, or one account beside others')
    .requiredOption('--from <file>', 'file that `plinth backup` has made')
    .option('--check', 'only check that the file is whole, and that this platform could read it')
    .action(restore);
}

async function backUp({ to: file, tenant }: { to: string; tenant?: string }): Promise<void> {
  requirePlatform();
  const made = await withStoredPlatform((platform) =>
    makeBackup({ ...platform, release: runningRelease(), tenant }, file),
  );
  print({ backup: file, ...made });
}

async function restore({ from: file, check: only }: { from: string; check?: boolean }): Promise<void> {
  const reader = new BackupReader(file);
  const outcome = await checkBackup(reader, configuredKeyIds());
  if (only) {
    const { release, createdAt, keyIds, tenants } = await reader.header();
    return print({ whole: file, release, createdAt, keyIds, tenants: tenants.map(({ name }) => name), ...outcome });
  }
  print({ restored: file, ...(await withStoredPlatform((platform) => restoreBackup(reader, outcome, platform))) });
}
