import type { Command } from 'commander';
import { tenantsService } from '../../../control-plane/src';
import { print, withDatabase } from './open-database';

interface NewKeyOptions {
  tenant: string;
  email?: string;
  role?: string;
  name?: string;
  deployments?: number[];
  expires?: string;
  apiKey?: string;
}

export function addApiKeysCommand(program: Command): void {
  program
    .command('api-keys')
    .description('Credentials')
    .command('create')
    .description('Make an API key for a user, the first administrator by default')
    .requiredOption('--tenant <name>', 'name of the account')
    .option('--email <email>', 'owner of the key')
    .option('--role <name>', 'role that the owner is given; makes a user without a password when there is none')
    .option('--name <name>', 'name of the key')
    .option('--deployments <ids>', 'deployments that the key is limited to, comma-separated', ids)
    .option('--expires <time>', 'when the key stops working, for example 2027-01-31T00:00:00Z; never when absent')
    .option('--api-key <secret>', 'secret of the key (sk-...); a new one when absent')
    .action(async ({ deployments: deploymentIds, ...options }: NewKeyOptions) => {
      print(await withDatabase((database) => tenantsService(database).issueKey({ ...options, deploymentIds })));
    });
}

function ids(text: string): number[] {
  const numbers = text.split(',').map(Number);
  if (numbers.every((id) => Number.isSafeInteger(id) && id > 0)) return numbers;
  throw new Error('--deployments takes ids, separated by commas');
}
