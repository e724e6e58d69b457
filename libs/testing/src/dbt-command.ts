import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where `tools/setup.sh` puts it. */
const INSTALLED = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'plinth-dbt-1.11.16', 'bin', 'dbt');

/** The command of dbt; undefined, which is said, where there is none. */
export function dbtCommand(): string | undefined {
  const command = process.env['PLINTH_DBT_COMMAND'] ?? INSTALLED;
  if (existsSync(command)) return command;
  process.stderr.write('dbt is missing, so what needs it is not tested: run tools/setup.sh\n');
  return undefined;
}
