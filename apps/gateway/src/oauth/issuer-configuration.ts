import type { Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import type { Bus } from '@plinth/messaging';
import type { Account, Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { MCP_SCOPE, mcpResourceOf } from '../dialects/mcp-access';
import { ArtefactAdapter } from './artefact-adapter';
import { clientIdOf } from './client-registration';
import { clientsOf, type OAuthClient } from './clients';
import { deviceFlowPages } from './device.page';
import { paths } from './endpoints';
import { errors, interactionPolicy } from './oidc-provider';
import { RegisteredClients } from './registered-clients';
import { showFailure, signOutPages } from './sign-out.page';
import type { TenantSigningKey } from './tenant-signing-key';

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** Lifetimes in seconds. A refresh token that is not used for long stops working; a grant does at the latest. */
const lifetimes = {
  AccessToken: HOUR,
  AuthorizationCode: 60,
  DeviceCode: 900,
  IdToken: HOUR,
  Interaction: HOUR,
  RefreshToken: 30 * DAY,
  Session: 12 * HOUR,
  Grant: 365 * DAY,
};

export interface IssuerParts {
  bus: Bus;
  /** Nobody in particular, in the tenant of the issuer. */
  principal: Principal;
  origin: URL;
  keys: readonly TenantSigningKey[];
  clients: readonly OAuthClient[];
}

/** How the authorization server behaves for one tenant under one address. */
export function issuerConfiguration({ bus, principal, origin, keys, clients }: IssuerParts): Configuration {
  const secure = origin.protocol === 'https:';
  const known = clientsOf(clients);
  const mcpResource = mcpResourceOf(origin.origin);
  const cookie = { httpOnly: true, sameSite: 'lax', secure, overwrite: true } as const;
  return {
    adapter: (kind: string) =>
      kind === 'Client'
        ? new RegisteredClients()
        : new ArtefactAdapter(bus, principal, kind as Schemas['OAuthArtefactKind'], known),
    clients: known,
    jwks: { keys: [...keys] } as unknown as NonNullable<Configuration['jwks']>,
    routes: {
      authorization: paths.authorization,
      code_verification: paths.device,
      device_authorization: paths.deviceAuthorization,
      end_session: paths.signOut,
      introspection: paths.introspection,
      jwks: paths.jwks,
      registration: paths.registration,
      revocation: paths.revocation,
      token: paths.token,
      userinfo: paths.userinfo,
    },
    scopes: ['openid', 'offline_access', 'api'],
    claims: {
      openid: ['sub'],
      email: ['email'],
      profile: ['name', 'given_name', 'family_name', 'preferred_username'],
    },
    responseTypes: ['code'],
    pkce: { required: () => true },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    cookies: {
      names: {
        session: secure ? '__Host-plinth-session' : 'plinth-session',
        interaction: 'plinth-step',
        resume: 'plinth-resume',
      },
      long: { ...cookie, path: '/' },
      short: cookie,
    },
    ttl: lifetimes,
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client, code) =>
      client.grantTypeAllowed('refresh_token') && ['offline_access', MCP_SCOPE].some((scope) => code.scopes.has(scope)),
    expiresWithSession: () => false,
    findAccount: (ctx, id, token) => findAccount(bus, principal, ctx, id, token !== undefined),
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    interactions: {
      policy: interactionPolicy.base(),
      url: (_ctx, { prompt, uid }) => `${prompt.name === 'login' ? paths.signIn : paths.consent}/${uid}`,
    },
    renderError: showFailure,
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      deviceFlow: { enabled: true, charset: 'base-20', mask: '****-****', ...deviceFlowPages },
      introspection: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
      },
      registration: {
        enabled: true,
        issueRegistrationAccessToken: false,
        idFactory: (ctx) => clientIdOf(ctx.oidc.body ?? {}),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: async (ctx, _client, granted) => granted?.[0] ?? (isForMcp(ctx) ? mcpResource : undefined),
        getResourceServerInfo: async (_ctx, resource) => {
          if (resource !== mcpResource) throw new errors.InvalidTarget();
          return { scope: MCP_SCOPE, audience: resource, accessTokenFormat: 'opaque' };
        },
        useGrantedResource: async () => true,
      },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: true, ...signOutPages },
      userinfo: { enabled: true },
      externalSigningSupport: { enabled: true, ack: 'experimental-01' },
    } as NonNullable<Configuration['features']>,
  };
}

const isForMcp = ({ oidc }: KoaContextWithOIDC): boolean =>
  String(oidc.params?.['scope'] ?? '')
    .split(' ')
    .includes(MCP_SCOPE);

/** @throws AccessDenied when a person who was signed in has no account any more. */
async function findAccount(
  bus: Bus,
  principal: Principal,
  _ctx: KoaContextWithOIDC,
  id: string,
  isForToken: boolean,
): Promise<Account | undefined> {
  const { user } = await bus.ask('describeSignedInUser', principal, { userId: Number(id) });
  if (!user && !isForToken) throw new errors.AccessDenied('the account is no longer active');
  return user ? { accountId: id, claims: async () => claimsOf(id, user) } : undefined;
}

const claimsOf = (sub: string, { email, username, firstName, lastName }: Schemas['SignedInUser']) => ({
  sub,
  email,
  preferred_username: username,
  name: [firstName, lastName].filter(Boolean).join(' ') || username,
  ...(firstName !== null && { given_name: firstName }),
  ...(lastName !== null && { family_name: lastName }),
});
