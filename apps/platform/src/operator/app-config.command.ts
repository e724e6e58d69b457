import type { Command } from 'commander';
import { appConfigService, tenantsService } from '../../../control-plane/src';
import { shortName } from './arguments';
import { readJson, requireFields } from './json-file';
import { print, withDatabase } from './open-database';

/** `plinth app-config set`: replaces how an account's app looks and behaves. */
export function addAppConfigCommand(program: Command): void {
  program
    .command('app-config')
    .description('Look and behaviour of the app')
    .command('set')
    .description('Replace the configuration of an account; what the file leaves out is as standard')
    .requiredOption('--tenant <name>', 'name of the account', shortName)
    .requiredOption('--file <path>', 'JSON file with fields of GET /api/v1/app-config')
    .action(({ tenant, file }: { tenant: string; file: string }) => set(tenant, file));
}

const set = (name: string, file: string): Promise<void> =>
  withDatabase(async (database) => {
    const tenant = (await tenantsService(database).list()).find((each) => each.name === name);
    if (!tenant) throw new Error(`There is no tenant named ${name}`);
    const service = appConfigService(database);
    const config = await readJson(file);
    requireFields(file, config, service.fields);
    print(await service.replace(tenant.id, config));
  });
