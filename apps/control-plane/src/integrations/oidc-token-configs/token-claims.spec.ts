import { claimsOf, subjectOf } from './token-claims';

const workload = { deploymentId: 12, component: 'cube_api', region: 'eu-west' } as const;
const whole = { ...workload, component: null };

describe('subjectOf', () => {
  it.each([
    [null, 'cube:deployment:12', 'cube:deployment:12'],
    ['{region}:{deployment_id}:{component}', 'eu-west:12:cube_api', 'eu-west:12:global'],
    ['{deployment_id}-{deployment_id}', '12-12', '12-12'],
    ['fixed', 'fixed', 'fixed'],
  ])('makes of %s for a part of a deployment %s and for the whole %s', (template, part, all) => {
    expect(subjectOf(template, workload)).toBe(part);
    expect(subjectOf(template, whole)).toBe(all);
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
