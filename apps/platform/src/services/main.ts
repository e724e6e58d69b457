import { resolve } from 'node:path';
import { EmbeddedPostgresError } from '@plinth/embedded-postgres';
import { startFailure } from '@plinth/host';
import { makeInstallation } from '../installation';
import { startServices } from './start-services';

/** Runs every service as a process of its own, with NATS and PostgreSQL, until somebody ends it. */
async function main(): Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  let lost: string | undefined;
  const onLost = (what: string): void => {
    lost ??= what;
    ending.abort(new Error(`${what} has ended, and everything with it`));
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => ending.abort());
  const root = resolve(__dirname, '../../../../..');
  try {
    const { url, natsUrl, adminKey, stop } = await startServices({
      installation: makeInstallation(),
      root,
      onLost,
      signal,
    });
    process.stdout.write(`ready ${url} (admin API key: ${adminKey}) NATS: ${natsUrl}\n`);
    if (!signal.aborted) await new Promise((end) => signal.addEventListener('abort', end));
    await stop();
    if (lost !== undefined) throw signal.reason;
  } catch (error) {
    // Whoever ends it during the start has what they want.
    if (!signal.aborted || lost !== undefined) throw error;
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const reason = error instanceof EmbeddedPostgresError ? error.message : startFailure(error);
    process.stderr.write(`Plinth stops: ${reason}\n`);
    process.exit(1);
  },
);
