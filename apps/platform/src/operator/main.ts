import { databaseSettings, loadConfig, processSettings } from '@plinth/config';
import { Database, SecretBox } from '@plinth/database';
import { findRunningPostgres } from '@plinth/embedded-postgres';
import { createLogger } from '@plinth/observability';
import { Command } from 'commander';
import { controlPlaneSchema, tenantsService } from '../../../control-plane/src';
import { openInstallation } from '../installation';

type Tenants = ReturnType<typeof tenantsService>;

/** Opens the control plane's state: of the configured database, or of the embedded platform that runs. */
async function withTenants<T>(work: (tenants: Tenants) => Promise<T>): Promise<T> {
  const { config, dataFolder, environment } = openInstallation();
  const url = config.databaseUrl ?? (await findRunningPostgres(dataFolder))?.url;
  if (!url) throw new Error(`No platform runs on ${dataFolder}: start it first, or set PLINTH_DATABASE_URL`);
  const settings = loadConfig(
    { ...processSettings, ...databaseSettings },
    { ...environment, PLINTH_DATABASE_URL: url },
  );
  const database = await Database.open({
    ...controlPlaneSchema,
    url,
    secrets: new SecretBox(settings.encryptionKeys),
    logger: createLogger('operator', 'silent'),
    poolSize: 1,
  });
  try {
    return await work(tenantsService(database));
  } finally {
    await database.close();
  }
}

const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const ids = (text: string): number[] => text.split(',').map(Number);

const program = new Command('plinth').description('Runs a Plinth installation. Every command prints one line of JSON.');

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

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
