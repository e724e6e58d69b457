import { ConfigError, loadConfig } from '@plinth/config';
import { endInOrder } from '@plinth/host';
import { createLogger } from '@plinth/observability';
import { Sandbox, SandboxServer } from '@plinth/sandbox';
import { sandboxServiceSettings } from './sandbox.config';

const STOP_WITHIN_MS = 10_000;

/** Runs programs for the services beside it, behind whatever wall this process has itself. */
async function main(): Promise<void> {
  const { logLevel, sandbox: kind, sandboxUsers: users, sandboxSocket: socket } = loadConfig(sandboxServiceSettings);
  const logger = createLogger('sandbox', logLevel);
  const sandbox = await Sandbox.open({ kind, users });
  const server = await SandboxServer.listen(sandbox, socket);
  const { gaps, refused } = sandbox;
  logger.info({ socket, sandbox: { kind: sandbox.kind, gaps }, refused }, 'ready');
  endInOrder({ logger, stop: () => server.close(), withinMs: STOP_WITHIN_MS });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`);
  process.exit(1);
});
