import { integer, setting, type ConfigOf } from '@plinth/config';

/** Settings of the authorization server's state. */
export const oauthSettings = {
  signingKeyRotationDays: setting(
    'PLINTH_SIGNING_KEY_ROTATION_DAYS',
    integer(1, 3_650).default(90),
    "Age at which the key that signs a tenant's tokens is replaced, in days.",
  ),
};

export type OAuthConfig = ConfigOf<typeof oauthSettings>;
