import { claimsOf, subjectOf } from './token-claims';

const workload = { deploymentId: 12, component: 'cube_api', region: 'eu-west' } as const;
const platform = { deploymentId: null, component: null, region: null };

describe('subjectOf', () => {
  it.each([
    [null, 'cube:deployment:12', 'cube:deployment:global'],
    ['{region}:{deployment_id}:{component}', 'eu-west:12:cube_api', 'control-plane:global:global'],
    ['{deployment_id}-{deployment_id}', '12-12', 'global-global'],
    ['fixed', 'fixed', 'fixed'],
  ])('makes of %s for a deployment %s and for the platform %s', (template, own, global) => {
    expect(subjectOf(template, workload)).toBe(own);
    expect(subjectOf(template, platform)).toBe(global);
  });
});

describe('claimsOf', () => {
  it.each([
    ['session:role-any', 'session:role-any'],
    ['a, b,c', ['a', 'b', 'c']],
    ['a,', ['a']],
    [['a,b'], ['a,b']],
    ['', ''],
  ])('makes of %j %j', (value, claim) => {
    expect(claimsOf({ scp: value })).toEqual({ scp: claim });
  });

  it('makes nothing of none', () => {
    expect(claimsOf(null)).toEqual({});
  });
});
