import type { Command } from 'commander';
import { tenantsService } from '../../../control-plane/src';
import { deleteTenant } from '../deletion/delete-tenant';
import { findInstallation } from '../installation';
import { missingWall } from '../missing-wall';
import { apiKey, email, hosts, onOrOff, shortName } from './arguments';
import { print, withDatabase } from './open-database';
import { requirePlatform, withStoredPlatform } from './stored-platform';

interface NewTenantOptions {
  name: string;
  host: string[];
  adminEmail: string;
  apiKey?: string;
}

interface TenantChanges {
  tenant: string;
  addHost?: string[];
  removeHost?: string[];
  personalApiKeys?: boolean;
}

export function addTenantsCommand(program: Command): void {
  const tenants = program.command('tenants').description('Accounts of this installation');
  tenants
    .command('create')
    .description('Make an account with its first administrator')
    .requiredOption('--name <name>', 'name of the account', shortName)
    .requiredOption('--host <host...>', 'host names that it is served under', hosts)
    .requiredOption('--admin-email <email>', 'e-mail address of the first administrator', email)
    .option('--api-key <secret>', 'secret of the first API key (sk-...); a new one when absent', apiKey)
    .action(create);
  tenants
    .command('list')
    .description('List the accounts')
    .option('--deleted', 'those that were deleted, and what is known of them')
    .action(list);
  tenants
    .command('show')
    .description('Print an account with its hosts, settings and how much it has')
    .requiredOption('--tenant <name>', 'name of the account', shortName)
    .action(async ({ tenant }: { tenant: string }) =>
      print({ tenant: await withDatabase((database) => tenantsService(database).show(tenant)) }),
    );
  tenants
    .command('update')
    .description('Change the hosts of an account, and what it allows')
    .requiredOption('--tenant <name>', 'name of the account', shortName)
    .option('--add-host <host...>', 'host names that it is to be served under, too', hosts)
    .option('--remove-host <host...>', 'host names that it is not to be served under any more', hosts)
    .option('--personal-api-keys <on|off>', 'whether users who are no administrators can have API keys', onOrOff)
    .action(update);
  tenants
    .command('delete')
    .description('Delete an account with everything that any service keeps of it; the platform may run')
    .requiredOption('--tenant <name>', 'name of the account', shortName)
    .option('--confirm <name>', 'the name once more; without it, only what would go is said', shortName)
    .action(remove);
}

async function list({ deleted }: { deleted?: boolean }): Promise<void> {
  if (deleted) print({ deletions: await withDatabase((database) => tenantsService(database).listDeletions()) });
  else print({ tenants: await withDatabase((database) => tenantsService(database).list()) });
}

async function create({ host: names, ...options }: NewTenantOptions): Promise<void> {
  const tenant = { ...options, hosts: names, missingWall: missingWall(findInstallation().dataFolder) };
  const { admin, ...made } = await withDatabase((database) => tenantsService(database).create(tenant));
  print({ tenant: made, apiKey: admin.apiKey, email: admin.email });
}

async function remove({ tenant, confirm }: { tenant: string; confirm?: string }): Promise<void> {
  if (confirm !== tenant) throw new Error(await whatWouldGo(tenant));
  requirePlatform();
  print({ deleted: await withStoredPlatform((platform) => deleteTenant(platform, tenant)) });
}

async function whatWouldGo(name: string): Promise<string> {
  const { hosts, users, deployments } = await withDatabase((database) => tenantsService(database).show(name));
  return (
    `Nothing was deleted. ${name} is served under ${hosts.join(', ')} and has ${users} users and ${deployments} deployments. ` +
    `There is no way back but a backup (\`plinth backup --tenant ${name}\`). To delete it, add --confirm ${name}`
  );
}

async function update({ tenant, addHost, removeHost, personalApiKeys }: TenantChanges): Promise<void> {
  if (!addHost && !removeHost && personalApiKeys === undefined) {
    throw new Error('There is nothing to change: give --add-host, --remove-host or --personal-api-keys');
  }
  const changes = { addHosts: addHost, removeHosts: removeHost, allowPersonalApiKeys: personalApiKeys };
  print({ tenant: await withDatabase((database) => tenantsService(database).update(tenant, changes)) });
}
