import type { CustomClaims, OidcTokenConfig } from './oidc-token-config.entity';

/** What a token speaks for: a deployment somewhere, or a part of it. */
export interface Workload {
  deploymentId: number;
  /** Null for the deployment as a whole. */
  component: string | null;
  region: string;
}

const STANDARD_SUBJECT = 'cube:deployment:{deployment_id}';

/** The `sub` claim. Clouds compare it letter by letter, so that the same workload always has the same one. */
export function subjectOf(template: string | null, { deploymentId, component, region }: Workload): string {
  return (template ?? STANDARD_SUBJECT)
    .replaceAll('{deployment_id}', String(deploymentId))
    .replaceAll('{component}', component ?? 'global')
    .replaceAll('{region}', region);
}

/** Claims as a token has them: a text with commas is a list, of one item when the comma is at its end. */
export const claimsOf = (claims: CustomClaims | null): Record<string, string | string[]> =>
  Object.fromEntries(Object.entries(claims ?? {}).map(([name, value]) => [name, listed(value)]));

function listed(value: string | string[]): string | string[] {
  if (typeof value !== 'string' || !value.includes(',')) return value;
  const items = value.split(',').map((item) => item.trim());
  return items.at(-1) === '' ? items.slice(0, -1) : items;
}

/** Everything that a token of the config says about the workload. */
export const tokenClaims = (config: OidcTokenConfig, workload: Workload) => ({
  ...claimsOf(config.customClaims),
  sub: subjectOf(config.subFormat, workload),
  aud: config.audience,
});
