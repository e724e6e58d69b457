import { Command } from 'commander';
import { tenantsService } from '../../../control-plane/src';
import { addAppConfigCommand } from './app-config.command';
import { addAuditCommand } from './audit.command';
import { addGithubCommand } from './github.command';
import { print, withDatabase } from './open-database';

type Tenants = ReturnType<typeof tenantsService>;

const withTenants = <T>(work: (tenants: Tenants) => Promise<T>): Promise<T> =>
  withDatabase((database) => work(tenantsService(database)));

const ids = (text: string): number[] => text.split(',').map(Number);

const program = new Command('plinth').description('Runs a Plinth installation. Every command prints lines of JSON.');

const tenants = program.command('tenants').description('Accounts of this installation');
tenants
  .command('create')
  .description('Make an account with its first administrator')
  .requiredOption('--name <name>', 'name of the account')
  .requiredOption('--host <host...>', 'host names that it is served under')
  .requiredOption('--admin-email <email>', 'e-mail address of the first administrator')
  .option('--api-key <secret>', 'secret of the first API key (sk-...); a new one when absent')
  .action(async (options: { name: string; host: string[]; adminEmail: string; apiKey?: string }) => {
    const { name, host: hosts, adminEmail, apiKey } = options;
    const { admin, ...tenant } = await withTenants((service) => service.create({ name, hosts, adminEmail, apiKey }));
    print({ tenant, apiKey: admin.apiKey, email: admin.email });
  });
tenants
  .command('list')
  .description('List the accounts')
  .action(async () => print({ tenants: await withTenants((service) => service.list()) }));

program
  .command('api-keys')
  .description('Credentials')
  .command('create')
  .description('Make an API key for a user, the first administrator by default')
  .requiredOption('--tenant <name>', 'name of the account')
  .option('--email <email>', 'owner of the key')
  .option('--name <name>', 'name of the key')
  .option('--deployments <ids>', 'deployments that the key is limited to, comma-separated', ids)
  .option('--api-key <secret>', 'secret of the key (sk-...); a new one when absent')
  .action(
    async (options: { tenant: string; email?: string; name?: string; deployments?: number[]; apiKey?: string }) => {
      const { deployments: deploymentIds, ...request } = options;
      print(await withTenants((service) => service.issueKey({ ...request, deploymentIds })));
    },
  );

addAppConfigCommand(program);
addAuditCommand(program);
addGithubCommand(program);

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
