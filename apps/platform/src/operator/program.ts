import { AppError } from '@plinth/errors';
import { Command } from 'commander';
import { addApiKeysCommand } from './api-keys.command';
import { addAppConfigCommand } from './app-config.command';
import { strictly } from './arguments';
import { addAuditCommand } from './audit.command';
import { addBackupCommand, addRestoreCommand } from './backup.command';
import { addDoctorCommand } from './doctor.command';
import { addGithubCommand } from './github.command';
import { addSampleCommand } from './sample.command';
import { addScimTokensCommand } from './scim-tokens.command';
import { addSigningKeysCommand } from './signing-keys.command';
import { addTenantsCommand } from './tenants.command';
import { addRolesCommand, addUsersCommand } from './users.command';

/** The operator's command with all that it can do. It is good for one run. */
export function operatorProgram(): Command {
  const program = strictly(new Command('plinth')).description(
    'Runs a Plinth installation. Commands print lines of JSON; `doctor` and `sample` print text, too.',
  );
  addSampleCommand(program);
  addDoctorCommand(program);
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
  return program;
}

/** In sentences, for an operator: where in the program it happened is of no use to them. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  if (!(error instanceof Error)) return String(error);
  const details = (error as { details?: readonly { path?: string; message?: string }[] }).details ?? [];
  const told = details.filter(({ message }) => message && !error.message.includes(message));
  const cause = error instanceof AppError && error.cause instanceof Error ? [reasonOf(error.cause)] : [];
  return [error.message, ...told.map(({ path = '', message }) => `${path} ${message}`), ...cause].join(': ');
}
