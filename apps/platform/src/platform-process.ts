import { EmbeddedPostgresError } from '@plinth/embedded-postgres';
import { BackupError } from './backup/backup-error';
import { endInOrder, startFailure } from '@plinth/host';
import { makeInstallation } from './installation';
import { checkSettings, startPlatform } from './platform';

/** Beyond the grace of running requests, for seven services and the database one after the other. */
const STOP_ALLOWANCE_MS = 60_000;

async function main(): Promise<void> {
  checkSettings();
  const installation = makeInstallation();
  const platform = await startPlatform(installation, () =>
    fail('the embedded PostgreSQL has ended. What was committed is recovered at the next start.'),
  );
  process.stdout.write(`ready ${platform.url} (admin API key: ${platform.adminKey})\n`);
  const { logger, stop } = platform;
  endInOrder({ logger, stop, withinMs: installation.config.shutdownGraceMs + STOP_ALLOWANCE_MS });
}

const describe = (error: unknown): string =>
  error instanceof EmbeddedPostgresError || error instanceof BackupError ? error.message : startFailure(error);

function fail(reason: string): never {
  process.stderr.write(`Plinth stops: ${reason}\n`);
  process.exit(1);
}

main().catch((error: unknown) => fail(`it could not start: ${describe(error)}`));
