import { databaseSettings, loadConfig } from '@plinth/config';
import { SecretBox } from '@plinth/database';
import type { Command } from 'commander';
import { accountSettings, signingKeys, tenantsService } from '../../../control-plane/src';
import { shortName } from './arguments';
import { print, withDatabase } from './open-database';

/** `plinth signing-keys rotate`: the way to make tokens worthless whose key has leaked, when it is called twice. */
export function addSigningKeysCommand(program: Command): void {
  program
    .command('signing-keys')
    .description('Keys that sign the tokens of an account')
    .command('rotate')
    .description('Replace the current key; tokens of the one before it stay valid until the next rotation')
    .requiredOption('--tenant <name>', 'name of the account', shortName)
    .action(({ tenant }: { tenant: string }) => rotate(tenant));
}

const rotate = (name: string): Promise<void> =>
  withDatabase(async (database, environment) => {
    const tenant = (await tenantsService(database).list()).find((each) => each.name === name);
    if (!tenant) throw new Error(`There is no tenant named ${name}`);
    const config = loadConfig({ ...databaseSettings, ...accountSettings }, environment);
    const keys = signingKeys(database, new SecretBox(config.encryptionKeys), config);
    print({ tenant: name, ...(await keys.rotate(tenant.id)) });
  });
