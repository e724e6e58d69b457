import type { Command } from 'commander';
import { tenantsService } from '../../../control-plane/src';
import { shortName } from './arguments';
import { print, withDatabase } from './open-database';

export function addScimTokensCommand(program: Command): void {
  program
    .command('scim-tokens')
    .description('Credentials of identity providers')
    .command('create')
    .description('Make a SCIM token, of which an account has two at most')
    .requiredOption('--tenant <name>', 'name of the account', shortName)
    .option('--name <name>', 'name of the token', shortName)
    .action(async ({ tenant, name = null }: { tenant: string; name?: string | null }) => {
      print(await withDatabase((database) => tenantsService(database).issueScimToken(tenant, name)));
    });
}
