import { z } from 'zod';
import { integer, list, secretSetting, setting } from './settings';

/** Settings that every process has. */
export const processSettings = {
  logLevel: setting(
    'PLINTH_LOG_LEVEL',
    z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
    'Least severe level that is logged: debug, info, warn, error or silent.',
  ),
  natsUrl: setting(
    'PLINTH_NATS_URL',
    z.string().optional(),
    'Address of the NATS server or servers, comma-separated. Without it a process serves only itself.',
  ),
  natsUser: setting('PLINTH_NATS_USER', z.string().optional(), 'User name for NATS, one per service.'),
  natsPassword: secretSetting('PLINTH_NATS_PASSWORD', z.string().optional(), 'Password for NATS.'),
  operationsHost: setting(
    'PLINTH_OPERATIONS_HOST',
    z.string().default('127.0.0.1'),
    'Address on which health and metrics are served.',
  ),
  operationsPort: setting(
    'PLINTH_OPERATIONS_PORT',
    integer(0, 65_535).default(0),
    'Port for health and metrics; 0 takes a free one and logs it.',
  ),
  shutdownGraceMs: setting(
    'PLINTH_SHUTDOWN_GRACE_MS',
    integer(0, 600_000).default(20_000),
    'How long a stopping process lets running requests finish, in milliseconds.',
  ),
  failpoint: setting(
    'PLINTH_FAILPOINT',
    z.string().optional(),
    'For crash tests alone: the named step at which the process kills itself or goes wrong.',
  ),
};

/** How long what credentials and users may do is remembered. */
export const accessSettings = {
  credentialCacheMs: setting(
    'PLINTH_CREDENTIAL_CACHE_MS',
    integer(0, 900).default(750),
    'How long what a credential stands for, and what its user may do with content, is believed without asking again, in milliseconds. Bounds revocation when a notice is lost.',
  ),
};

/** Where people and clouds reach a tenant. */
export const addressSettings = {
  publicUrlTemplate: setting(
    'PLINTH_PUBLIC_URL_TEMPLATE',
    z.string().startsWith('http').includes('{host}').default('https://{host}'),
    "Base URL of a tenant, with `{host}` for its host name: in links that people follow, and the address at which its authorization server answers besides the gateway's own port.",
  ),
};

/** Where agents are asked. */
export const agentAddressSettings = {
  aiUrl: setting(
    'PLINTH_AI_URL',
    z
      .string()
      .regex(/^https?:\/\/[^/?#]+$/, 'takes a URL without a path')
      .optional(),
    'Base URL of a host of its own at which agents of all accounts are asked, such as https://ai.example.com. Without it, that is below the address of each account.',
  ),
};

/** Settings of every service that keeps state. */
export const databaseSettings = {
  databaseUrl: secretSetting(
    'PLINTH_DATABASE_URL',
    z.string().startsWith('postgres'),
    'PostgreSQL 15 to 18, as an owner that may create schemas and roles: postgres://user:password@host:port/database.',
  ),
  databasePoolSize: setting(
    'PLINTH_DATABASE_POOL_SIZE',
    integer(1, 500).default(10),
    'Connections that one service keeps for ordinary work.',
  ),
  databaseStatementTimeoutMs: setting(
    'PLINTH_DATABASE_STATEMENT_TIMEOUT_MS',
    integer(100, 600_000).default(15_000),
    'Longest time a single statement may run, in milliseconds.',
  ),
  encryptionKeys: secretSetting(
    'PLINTH_ENCRYPTION_KEYS',
    list().refine(
      (keys) => keys.length > 0 && keys.every((key) => Buffer.from(key, 'base64').length === 32),
      'takes keys of 32 bytes in base64, comma-separated',
    ),
    'Keys that encrypt stored secrets, 32 bytes in base64 each. The first one encrypts, all of them decrypt: rotate by putting a new one in front.',
  ),
};

/** Settings of every service that runs programs of its users. */
export const sandboxSettings = {
  sandbox: setting(
    'PLINTH_SANDBOX',
    z.enum(['auto', 'namespace', 'user', 'container', 'none']).default('auto'),
    'Wall between the platform and the programs of its users: namespace, user, container, or none. auto takes the first of these that holds here, tried at the start.',
  ),
  sandboxUsers: setting(
    'PLINTH_SANDBOX_USERS',
    z
      .string()
      .default('64000-64999')
      .transform((range) => /^([1-9]\d{0,8})-([1-9]\d{0,8})$/.exec(range)?.slice(1).map(Number) ?? [])
      .refine(([first = 1, last = 0]) => first <= last, 'takes a range of user ids, as 64000-64999')
      .transform(([first = 0, last = 0]) => ({ first, last })),
    'User ids of which a process that runs as root gives each program one of its own. Nobody else may have them.',
  ),
  sandboxSocket: setting(
    'PLINTH_SANDBOX_SOCKET',
    z.string().startsWith('/').optional(),
    'Unix socket of the sandbox service, for the wall container.',
  ),
};
