import { EmbeddedPostgresError } from '@plinth/embedded-postgres';
import { endInOrder } from '@plinth/host';
import { openInstallation } from './installation';
import { BackupError } from './backup/backup-error';
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

/** Errors that an operator can act on are told in a sentence, others with all they know. */
function describe(error: unknown): string {
  if (isSystemError(error) && error.code === 'EADDRINUSE') {
    return `another program uses ${error.address}:${error.port}. Stop it, or choose another port with PLINTH_PORT.`;
  }
  return [ConfigError, EmbeddedPostgresError, BackupError].some((kind) => error instanceof kind) || isSystemError(error)
    ? (error as Error).message
    : String((error as Error).stack ?? error);
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException & { address?: string; port?: number } =>
  error instanceof Error && 'syscall' in error;

function fail(reason: string): never {
  process.stderr.write(`Plinth stops: ${reason}\n`);
  process.exit(1);
}

main().catch((error: unknown) => fail(`it could not start: ${describe(error)}`));
