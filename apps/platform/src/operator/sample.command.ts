import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { loadConfig } from '@plinth/config';
import { findRunningPostgres } from '@plinth/embedded-postgres';
import type { Command } from 'commander';
import { controlPlane } from '../../../control-plane/src';
import { findInstallation, type Installation } from '../installation';
import { notedAddress } from '../platform-address';
import { url as address } from './arguments';
import { print } from './open-database';
import { nextCommands } from './sample/next-commands';
import { PlatformApi } from './sample/platform-api';
import { openShop } from './sample/sample-database';
import { completeSample, createSample, findSample } from './sample/sample-deployment';

/** `plinth sample`: a deployment that answers, for whoever tries the platform. */
export function addSampleCommand(program: Command): void {
  program
    .command('sample')
    .description('Make the deployment "Sample shop" with a database of its own, and print how to query it')
    .option('--url <address>', 'address of the platform; that of its last start when absent', address)
    .action(({ url }: { url?: string }) => make(findInstallation(), url));
}

async function make(installation: Installation, givenUrl: string | undefined): Promise<void> {
  const { config, dataFolder } = installation;
  const server = config.databaseUrl ?? findRunningPostgres(dataFolder)?.url;
  const url = givenUrl ?? notedAddress(dataFolder);
  if (!server || !url) throw new Error(`No platform runs on ${dataFolder}: start it first`);
  const { secret, word } = adminKeyOf(installation);
  const api = new PlatformApi(url, secret);
  const found = await findSample(api);
  const isReady = found?.creationStep === 'ready';
  const deployment = found ?? (await createSample(api));
  if (!isReady) await completeSample(api, deployment, await openShop(server));
  const { id, name, deploymentUrl } = deployment;
  print({ deployment: { id, name, deploymentUrl }, wasThere: isReady });
  process.stdout.write(nextCommands({ url, id, deploymentUrl, key: word }));
}

/** The key, and the word for a shell that stands for it: no key is printed. */
function adminKeyOf({ dataFolder, environment }: Installation): { secret: string; word: string } {
  const file = join(dataFolder, 'admin-api-key');
  if (existsSync(file)) return { secret: readFileSync(file, 'utf8').trim(), word: `$(cat '${shortest(file)}')` };
  const { bootstrapApiKey } = loadConfig({ bootstrapApiKey: controlPlane.settings.bootstrapApiKey }, environment);
  if (bootstrapApiKey !== undefined) return { secret: bootstrapApiKey, word: '$PLINTH_BOOTSTRAP_API_KEY' };
  throw new Error(`There is no ${file}: give an administrator's API key as PLINTH_BOOTSTRAP_API_KEY`);
}

function shortest(file: string): string {
  const fromHere = relative('.', file);
  return fromHere.startsWith('..') ? file : fromHere;
}
