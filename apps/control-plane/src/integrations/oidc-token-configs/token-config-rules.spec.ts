import { audienceOf, checkClaims, checkTarget } from './token-config-rules';

const gcp = '//iam.googleapis.com/projects/123/locations/global/workloadIdentityPools/plinth/providers/main';

describe('audienceOf', () => {
  it.each([
    ['AWS', 'sts.amazonaws.com'],
    ['Azure', 'api://AzureADTokenExchange'],
  ] as const)('gives %s its own, and takes no other', (type, audience) => {
    expect(audienceOf(type, undefined)).toBe(audience);
    expect(audienceOf(type, audience)).toBe(audience);
    expect(() => audienceOf(type, 'https://other.test')).toThrow('/body/customAudience');
  });

  it.each(['GCP', 'Custom'] as const)('needs one for %s', (type) => {
    expect(() => audienceOf(type, null)).toThrow('/body/customAudience is required');
  });

  it.each([gcp.slice(1), `https:${gcp}`, `${gcp}/`, gcp.replace('123', 'name'), gcp.replace('global', 'europe'), 'x'])(
    'refuses %s for GCP',
    (audience) => {
      expect(() => audienceOf('GCP', audience)).toThrow('workload identity pool provider');
    },
  );

  it('takes the name of a provider for GCP, and anything for Custom', () => {
    expect(audienceOf('GCP', gcp)).toBe(gcp);
    expect(audienceOf('Custom', 'snowflakecomputing.com')).toBe('snowflakecomputing.com');
  });
});

describe('checkClaims', () => {
  it.each(['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti', 'cube:', 'cube:user_id'])(
    'refuses the claim %s',
    (name) => {
      expect(() => checkClaims({ ok: 'x', [name]: 'x' })).toThrow(`/body/customClaims/${name} is set by the platform`);
    },
  );

  it('bounds them all together', () => {
    const claims = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, 'x'.repeat(1_000)]));
    expect(() => checkClaims(claims)).toThrow('at most 4096 characters');
  });

  it('takes others, and none', () => {
    expect(() => checkClaims({ scp: 'session:role-any', subject: ['a'], cube: 'x' })).not.toThrow();
    expect(() => checkClaims(null)).not.toThrow();
  });
});

describe('checkTarget', () => {
  it.each(['AWS', 'GCP', 'Azure'] as const)('refuses a variable for %s', (type) => {
    expect(() => checkTarget(type, 'TOKEN_FILE')).toThrow('/body/targetEnvVar');
    expect(() => checkTarget(type, null)).not.toThrow();
  });

  it('takes one for Custom', () => {
    expect(() => checkTarget('Custom', 'TOKEN_FILE')).not.toThrow();
  });
});
