import type { Command } from 'commander';
import { BackupReader } from '../backup/backup-reader';
import { makeBackup } from '../backup/make-backup';
import type { Outgoing } from '../backup/outgoing';
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
  const restored = await withStoredPlatform((platform) => restoreBackup(reader, outcome, platform));
  print({ restored: file, ...restored });
  if ('outgoing' in restored) warnOf(restored.outgoing);
}

/** While the platform that was backed up still runs, or ran on, others hear twice of the same thing. */
function warnOf({ notifications, dueNotifications, gitRemotes }: Outgoing): void {
  if (notifications + gitRemotes === 0) return;
  process.stderr.write(
    `plinth: once it is started, this platform mails ${notifications} dashboards on their schedules, ${dueNotifications} of them at once, ` +
      `and pushes to ${gitRemotes} git servers. If the original may have done so, start it without PLINTH_SMTP_URL and without a ` +
      'way to the git servers first: docs/operations.md, "Backup"\n',
  );
}
