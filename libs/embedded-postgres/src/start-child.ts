import { startEmbeddedPostgres, type EmbeddedPostgresOptions } from './start-embedded-postgres';

/** Starts the server, prints its address, and waits to be killed; for tests that need another process or user. */
async function run(options: EmbeddedPostgresOptions): Promise<void> {
  try {
    const { url, port } = await startEmbeddedPostgres(options);
    process.stdout.write(`${JSON.stringify({ url, port })}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ error: (error as Error).message })}\n`);
    process.exit(1);
  }
}

const [, , options] = process.argv;
if (require.main === module && options !== undefined) void run(JSON.parse(options) as EmbeddedPostgresOptions);
