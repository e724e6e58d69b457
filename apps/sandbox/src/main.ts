import { ConfigError, loadConfig } from '@plinth/config';
import { stopOnSignal } from '@plinth/host';
import { createLogger } from '@plinth/observability';
import { Sandbox, SandboxServer } from '@plinth/sandbox';
import { sandboxProcessSettings } from './sandbox.config';

/** Runs the programs of the service that it stands beside. */
async function main(): Promise<void> {
  const { logLevel, wall, socket } = loadConfig(sandboxProcessSettings);
  const logger = createLogger('sandbox', logLevel);
  const sandbox = await Sandbox.open({ kind: wall });
  const server = await SandboxServer.listen(sandbox, socket);
  logger.info({ socket, wall: sandbox.kind, gaps: sandbox.gaps, refused: sandbox.refused }, 'ready');
  stopOnSignal(logger, () => server.close());
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`);
  process.exit(1);
});
