import { invalidRequest } from '@plinth/errors';
import type { AudienceType, CustomClaims } from './oidc-token-config.entity';

/** Audiences that a cloud has by itself. */
const presetAudiences: Readonly<Partial<Record<AudienceType, string>>> = {
  AWS: 'sts.amazonaws.com',
  Azure: 'api://AzureADTokenExchange',
};

const GCP_AUDIENCE =
  /^\/\/iam\.googleapis\.com\/projects\/\d+\/locations\/global\/workloadIdentityPools\/[a-z0-9-]+\/providers\/[a-z0-9-]+$/;

/** What the issuer alone says. */
const RESERVED_CLAIMS: readonly string[] = ['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti'];
const RESERVED_PREFIX = 'cube:';
/** So that a token stays small enough for headers and forms. */
const MOST_CLAIM_CHARACTERS = 4_096;

/**
 * The `aud` claim of a config.
 *
 * @throws AppError `request.invalid` (400) when the type needs another audience, or none.
 */
export function audienceOf(type: AudienceType, custom: string | null | undefined): string {
  const path = '/body/customAudience';
  const preset = presetAudiences[type];
  if (preset !== undefined) {
    if (custom != null && custom !== preset) throw invalidRequest(path, `is ${preset} for ${type}`);
    return preset;
  }
  if (custom == null) throw invalidRequest(path, `is required for ${type}`);
  if (type === 'GCP' && !GCP_AUDIENCE.test(custom)) {
    throw invalidRequest(
      path,
      'must be the full name of a workload identity pool provider, from //iam.googleapis.com/ on',
    );
  }
  return custom;
}

/** @throws AppError `request.invalid` (400) for claims that are the issuer's, or too many characters. */
export function checkClaims(claims: CustomClaims | null | undefined): void {
  if (claims == null) return;
  const reserved = Object.keys(claims).find(
    (name) => RESERVED_CLAIMS.includes(name) || name.startsWith(RESERVED_PREFIX),
  );
  if (reserved !== undefined) throw invalidRequest(`/body/customClaims/${reserved}`, 'is set by the platform');
  if (JSON.stringify(claims).length > MOST_CLAIM_CHARACTERS) {
    throw invalidRequest('/body/customClaims', `must have at most ${MOST_CLAIM_CHARACTERS} characters in all`);
  }
}

/** @throws AppError `request.invalid` (400): the clouds' own libraries know where to look. */
export function checkTarget(type: AudienceType, targetEnvVar: string | null | undefined): void {
  if (targetEnvVar != null && type !== 'Custom') throw invalidRequest('/body/targetEnvVar', 'is for Custom alone');
}
