import { databaseSettings, integer, processSettings, setting, type ConfigOf } from '@plinth/config';

/** Everything an operator can set on the embed service. */
export const embedSettings = {
  ...processSettings,
  ...databaseSettings,
  embedUsersMax: setting(
    'PLINTH_EMBED_USERS_MAX',
    integer(1, 10_000_000).default(10_000),
    'Embed users that an account has at most, in all its embed tenants together.',
  ),
};

export type EmbedConfig = ConfigOf<typeof embedSettings>;
