import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

const noteIn = (dataFolder: string): string => join(dataFolder, 'postgres.port');

/**
 * The port of the last start, if nobody else has taken it: whoever has noted it, such as a deployment with a database on
 * this server, finds the server again.
 */
export async function keptPort(dataFolder: string): Promise<number | undefined> {
  const port = Number(note(dataFolder));
  const isPort = Number.isInteger(port) && port > 0 && port <= 65_535;
  return isPort && (await isFree(port)) ? port : undefined;
}

export const keepPort = (dataFolder: string, port: number): void =>
  writeFileSync(noteIn(dataFolder), `${port}\n`, { mode: 0o644 });

function note(dataFolder: string): string {
  try {
    return readFileSync(noteIn(dataFolder), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
