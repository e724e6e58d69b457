import { loadConfig } from '@plinth/config';
import type { Command } from 'commander';
import { accountSettings, operatorUsers, passwordLinkIssuer } from '../../../control-plane/src';
import { email as emailAddress, id, shortName } from './arguments';
import { print, withDatabase } from './open-database';

type Users = ReturnType<typeof operatorUsers>;

interface UserOptions {
  tenant: string;
  email: string;
}

const withUsers = <T>(work: (users: Users) => Promise<T>): Promise<T> =>
  withDatabase((database) => work(operatorUsers(database)));

const resetPassword = (tenant: string, email: string, revokesApiKeys?: boolean) =>
  withDatabase((database, environment) => {
    const links = passwordLinkIssuer(database, loadConfig(accountSettings, environment));
    return operatorUsers(database).resetPassword(tenant, email, links, revokesApiKeys);
  });

export function addUsersCommand(program: Command): void {
  const users = program.command('users').description('Users of an account');
  users
    .command('list')
    .description('List up to 1,000 users')
    .requiredOption('--tenant <name>', 'name of the account', shortName)
    .option('--after <id>', 'begin after the user with this id', id)
    .action(async ({ tenant, after }: { tenant: string; after?: number }) =>
      print({ users: await withUsers((service) => service.list(tenant, after)) }),
    );
  onUser(users, 'create', 'Make a user without a password, who acts through API keys')
    .option('--role <name>', 'role of the user', shortName, 'Viewer')
    .action(async ({ tenant, email, role }: UserOptions & { role: string }) =>
      print({ user: await withUsers((service) => service.create(tenant, email, role)) }),
    );
  onUser(users, 'activate', 'Let a deactivated user in again').action(async ({ tenant, email }: UserOptions) =>
    print({ user: await withUsers((service) => service.activate(tenant, email)) }),
  );
  onUser(users, 'reset-password', 'Make a link by which a user sets a new password')
    .option('--revoke-api-keys', 'revoke the API keys of the user, at once and again when the link is used')
    .action(async ({ tenant, email, revokeApiKeys }: UserOptions & { revokeApiKeys?: boolean }) =>
      print({ email, ...(await resetPassword(tenant, email, revokeApiKeys)) }),
    );
  onUser(users, 'set-role', 'Replace the roles of a user by one')
    .requiredOption('--role <name>', 'the role; Admin makes an administrator', shortName)
    .action(async ({ tenant, email, role }: UserOptions & { role: string }) =>
      print({ user: await withUsers((service) => service.setRole(tenant, email, role)) }),
    );
}

export function addRolesCommand(program: Command): void {
  program
    .command('roles')
    .description('Roles of an account')
    .command('list')
    .description('List the roles, built-in and custom')
    .requiredOption('--tenant <name>', 'name of the account', shortName)
    .action(async ({ tenant }: { tenant: string }) =>
      print({ roles: await withUsers((service) => service.listRoles(tenant)) }),
    );
}

const onUser = (users: Command, name: string, description: string): Command =>
  users
    .command(name)
    .description(description)
    .requiredOption('--tenant <name>', 'name of the account', shortName)
    .requiredOption('--email <email>', 'e-mail address of the user', emailAddress);
