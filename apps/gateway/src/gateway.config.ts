import { createSecureContext } from 'node:tls';
import {
  accessSettings,
  addressSettings,
  agentAddressSettings,
  processSettings,
  integer,
  list,
  secretSetting,
  setting,
  type ConfigOf,
} from '@plinth/config';
import { z } from 'zod';

const oauthClients = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue('takes a JSON array');
      return z.NEVER;
    }
  })
  .pipe(
    z.array(
      z.object({
        client_id: z.string().regex(/^[\w.-]{1,100}$/),
        client_name: z.string().max(100).optional(),
        client_secret: z.string().min(32).optional(),
        redirect_uris: z.array(z.url()).min(1),
        post_logout_redirect_uris: z.array(z.url()).optional(),
      }),
    ),
  );

/** Everything an operator can set on the gateway. */
export const gatewaySettings = {
  ...processSettings,
  ...accessSettings,
  ...addressSettings,
  ...agentAddressSettings,
  host: setting('PLINTH_HOST', z.string().default('127.0.0.1'), 'Address on which the API is served.'),
  port: setting('PLINTH_PORT', integer(0, 65_535).default(4000), 'Port of the API; 0 takes a free one.'),
  tlsCertificate: setting(
    'PLINTH_TLS_CERTIFICATE',
    z.string().optional(),
    'TLS certificate chain (PEM); use PLINTH_TLS_CERTIFICATE_FILE for a path.',
  ),
  tlsKey: setting('PLINTH_TLS_KEY', z.string().optional(), 'Private key (PEM) of the certificate.'),
  trustedProxies: setting(
    'PLINTH_TRUSTED_PROXIES',
    list().default([]),
    'Addresses or networks (CIDR, comma-separated) of proxies whose X-Forwarded-Proto and X-Forwarded-For are believed.',
  ),
  rateLimitPerMinute: setting(
    'PLINTH_RATE_LIMIT_PER_MINUTE',
    integer(0, 10_000_000).default(12_000),
    'Requests per minute and credential that one gateway accepts; 0 switches the limit off.',
  ),
  pageRateLimitPerMinute: setting(
    'PLINTH_PAGE_RATE_LIMIT_PER_MINUTE',
    integer(0, 100_000).default(120),
    'Requests for pages, such as those of a sign-in, per minute and address; 0 switches the limit off.',
  ),
  failureLimitPerMinute: setting(
    'PLINTH_FAILURE_LIMIT_PER_MINUTE',
    integer(0, 1_000_000).default(1_000),
    'Failures per minute and client address that one gateway looks into, each for credentials, hosts, routes and sign-ins of programs; 0 switches the limit off.',
  ),
  dataBasePath: setting(
    'PLINTH_DATA_BASE_PATH',
    z
      .string()
      .regex(/^(\/[\w.~-]+)*\/?$/, 'takes a path, such as /data')
      .default('')
      .transform((path) => path.replace(/\/$/, '')),
    "Path below a deployment's address at which the short paths of its data API are (`/v1/load`, `/v1/cubesql`, `/v1/meta`).",
  ),
  oauthClients: secretSetting(
    'PLINTH_OAUTH_CLIENTS',
    oauthClients.default([]),
    'Programs that may sign people in with OpenID Connect: a JSON array of objects with `client_id`, `client_name`, `client_secret`, `redirect_uris` and `post_logout_redirect_uris`.',
  ),
  tenantCacheMs: setting(
    'PLINTH_TENANT_CACHE_MS',
    integer(0, 60_000).default(5_000),
    'How long a resolved host name, and the environment at an address, is believed without asking again, in milliseconds.',
  ),
};

export type GatewayConfig = ConfigOf<typeof gatewaySettings>;

/** A certificate without its key would have the port speak plain HTTP. */
export function gatewayProblems({ tlsCertificate: cert, tlsKey: key }: GatewayConfig): readonly string[] {
  if (cert === undefined && key === undefined) return [];
  if (key === undefined) return ['PLINTH_TLS_KEY: is needed with PLINTH_TLS_CERTIFICATE'];
  if (cert === undefined) return ['PLINTH_TLS_CERTIFICATE: is needed with PLINTH_TLS_KEY'];
  try {
    createSecureContext({ cert, key });
    return [];
  } catch (error) {
    return [`PLINTH_TLS_KEY: cannot be used with PLINTH_TLS_CERTIFICATE: ${(error as Error).message}`];
  }
}
