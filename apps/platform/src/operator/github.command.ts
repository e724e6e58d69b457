import { loadConfig } from '@plinth/config';
import type { Command } from 'commander';
import { buildWorkerSchema, buildWorkerSettings, githubLinks } from '../../../build-worker/src';
import { tenantsService } from '../../../control-plane/src';
import { id, shortName } from './arguments';
import { print, withDatabase } from './open-database';

/** `plinth github link`: for installations whose owner the operator knows; nobody else is asked. */
export function addGithubCommand(program: Command): void {
  program
    .command('github')
    .description('Links between accounts and GitHub')
    .command('link')
    .description('Let an account use an installation of the GitHub App')
    .requiredOption('--tenant <name>', 'name of the account', shortName)
    .requiredOption('--installation <id>', 'id of the installation at GitHub', id)
    .action(({ tenant, installation }: { tenant: string; installation: number }) => link(tenant, installation));
}

async function link(tenantName: string, installationId: number): Promise<void> {
  const tenants = await withDatabase((database) => tenantsService(database).list());
  const tenant = tenants.find(({ name }) => name === tenantName);
  if (!tenant) throw new Error(`There is no tenant named ${tenantName}`);
  const { login } = await withDatabase(
    (database, environment) =>
      githubLinks(database, loadConfig(buildWorkerSettings, environment)).linkByOperator(tenant.id, installationId),
    buildWorkerSchema,
  );
  print({ tenant: tenantName, installationId, login });
}
