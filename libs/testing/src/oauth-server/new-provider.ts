import type { IncomingMessage, ServerResponse } from 'node:http';
import { Provider, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';

export interface OAuthServerOptions {
  redirectUri: string;
  accessTokenSeconds?: number;
}

interface Client {
  clientId: string;
  clientSecret: string;
}

const STEP = '/step';
const ACCOUNT = 'somebody';

/** An authorization server at whose pages everybody is signed in and agrees. */
export function newProvider(
  issuer: string,
  { clientId, clientSecret, redirectUri, accessTokenSeconds = 3_600 }: OAuthServerOptions & Client,
): (request: IncomingMessage, response: ServerResponse) => void {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    ...behaviour,
    ttl: { ...lifetimes, AccessToken: accessTokenSeconds },
  });
  const serve = provider.callback();
  return (request, response) => {
    if (request.url?.startsWith(STEP)) {
      void provider.interactionFinished(request, response, { login: { accountId: ACCOUNT } });
    } else {
      void serve(request, response);
    }
  };
}

const lifetimes = {
  AuthorizationCode: 60,
  Grant: 3_600,
  IdToken: 3_600,
  Interaction: 60,
  RefreshToken: 3_600,
  Session: 60,
};

const behaviour: Configuration = {
  features: {
    devInteractions: { enabled: false },
    introspection: { enabled: true, allowedPolicy: () => true },
    revocation: { enabled: true, allowedPolicy: () => true },
  },
  scopes: ['openid', 'offline_access', 'read'],
  pkce: { required: () => true },
  rotateRefreshToken: true,
  issueRefreshToken: async () => true,
  expiresWithSession: () => false,
  interactions: { url: () => STEP },
  findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  loadExistingGrant: agreeToEverything,
};

async function agreeToEverything({ oidc }: KoaContextWithOIDC) {
  const { client, session, provider } = oidc;
  if (!client || !session?.accountId) return undefined;
  const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId });
  grant.addOIDCScope('openid offline_access read');
  await grant.save();
  return grant;
}
