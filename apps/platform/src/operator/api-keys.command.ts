import type { Command } from 'commander';
import { tenantsService } from '../../../control-plane/src';
import { apiKey, email, ids, shortName, time } from './arguments';
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
    .requiredOption('--tenant <name>', 'name of the account', shortName)
    .option('--email <email>', 'owner of the key', email)
    .option(
      '--role <name>',
      'role that the owner is given; makes a user without a password when there is none',
      shortName,
    )
    .option('--name <name>', 'name of the key', shortName)
    .option('--deployments <ids>', 'deployments that the key is limited to, comma-separated', ids)
    .option('--expires <time>', 'when the key stops working, for example 2027-01-31T00:00:00Z; never when absent', time)
    .option('--api-key <secret>', 'secret of the key (sk-...); a new one when absent', apiKey)
    .action(async ({ deployments: deploymentIds, ...options }: NewKeyOptions) => {
      print(await withDatabase((database) => tenantsService(database).issueKey({ ...options, deploymentIds })));
    });
}
