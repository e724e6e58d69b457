import { Command } from 'commander';
import { addApiKeysCommand } from './api-keys.command';
import { addAppConfigCommand } from './app-config.command';
import { addAuditCommand } from './audit.command';
import { addBackupCommand, addRestoreCommand } from './backup.command';
import { addGithubCommand } from './github.command';
import { addSampleCommand } from './sample.command';
import { addScimTokensCommand } from './scim-tokens.command';
import { addSigningKeysCommand } from './signing-keys.command';
import { addTenantsCommand } from './tenants.command';
import { addRolesCommand, addUsersCommand } from './users.command';

const program = new Command('plinth').description('Runs a Plinth installation. Every command prints lines of JSON.');

addSampleCommand(program);
addTenantsCommand(program);
addUsersCommand(program);
addRolesCommand(program);
addApiKeysCommand(program);
addScimTokensCommand(program);
addAppConfigCommand(program);
addAuditCommand(program);
addSigningKeysCommand(program);
addGithubCommand(program);
addBackupCommand(program);
addRestoreCommand(program);

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
