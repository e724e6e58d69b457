import type { Command } from 'commander';
import { auditVerifier, tenantsService } from '../../../control-plane/src';
import { print, withDatabase } from './open-database';

/** `plinth audit verify`: prints a line for every account that has a log; exit code 1 when one was tampered with. */
export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('Audit logs')
    .command('verify')
    .description('Check that no event was changed, removed or moved since it was recorded')
    .option('--tenant <name>', 'name of the account; all accounts when absent')
    .action(({ tenant }: { tenant?: string }) => verify(tenant));
}

const verify = (onlyTenant: string | undefined): Promise<void> =>
  withDatabase(async (database) => {
    const tenants = await tenantsService(database).list();
    const only = tenants.find(({ name }) => name === onlyTenant);
    if (onlyTenant !== undefined && !only) throw new Error(`There is no tenant named ${onlyTenant}`);
    for await (const { tenantId, ...verdict } of auditVerifier(database).verify(only?.id)) {
      print({ tenant: tenants.find(({ id }) => id === tenantId)?.name ?? null, tenantId, ...verdict });
      if (verdict.broken) process.exitCode = 1;
    }
  });
