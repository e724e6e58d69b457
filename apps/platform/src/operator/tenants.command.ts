import type { Command } from 'commander';
import { tenantsService } from '../../../control-plane/src';
import { findInstallation } from '../installation';
import { missingWall } from '../missing-wall';
import { print, withDatabase } from './open-database';

interface NewTenantOptions {
  name: string;
  host: string[];
  adminEmail: string;
  apiKey?: string;
}

export function addTenantsCommand(program: Command): void {
  const tenants = program.command('tenants').description('Accounts of this installation');
  tenants
    .command('create')
    .description('Make an account with its first administrator')
    .requiredOption('--name <name>', 'name of the account')
    .requiredOption('--host <host...>', 'host names that it is served under')
    .requiredOption('--admin-email <email>', 'e-mail address of the first administrator')
    .option('--api-key <secret>', 'secret of the first API key (sk-...); a new one when absent')
    .action(async ({ host: hosts, ...options }: NewTenantOptions) => {
      const create = { ...options, hosts, missingWall: missingWall(findInstallation().dataFolder) };
      const { admin, ...tenant } = await withDatabase((database) => tenantsService(database).create(create));
      print({ tenant, apiKey: admin.apiKey, email: admin.email });
    });
  tenants
    .command('list')
    .description('List the accounts')
    .action(async () => print({ tenants: await withDatabase((database) => tenantsService(database).list()) }));
  tenants
    .command('set')
    .description('Switch what an account allows')
    .requiredOption('--tenant <name>', 'name of the account')
    .requiredOption(
      '--personal-api-keys <on|off>',
      'whether users who are no administrators can have API keys',
      onOrOff,
    )
    .action(async ({ tenant, personalApiKeys }: { tenant: string; personalApiKeys: boolean }) => {
      await withDatabase((database) => tenantsService(database).allowPersonalKeys(tenant, personalApiKeys));
      print({ tenant, personalApiKeys });
    });
}

function onOrOff(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new Error('--personal-api-keys takes on or off');
  return text === 'on';
}
