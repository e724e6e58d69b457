import { isLasting, lastingPrincipal } from './lasting-principal';
import { anonymousPrincipal } from './principal';

const ada = () => ({ ...anonymousPrincipal(1, 'acme'), grants: [{ action: 'DeploymentRead', deploymentIds: [7] }] });

describe(lastingPrincipal.name, () => {
  it('lets nobody change the principal, or anything in it', () => {
    const principal = ada();
    lastingPrincipal(principal);
    expect(() => (principal.isAdmin = true)).toThrow(TypeError);
    expect(() => principal.grants.push({ action: 'All', deploymentIds: [] })).toThrow(TypeError);
    expect(() => principal.grants[0]?.deploymentIds.push(8)).toThrow(TypeError);
  });

  it('is known by the principal itself, not by one that is like it', () => {
    const principal = lastingPrincipal(ada());
    expect([principal, { ...principal }, ada()].map(isLasting)).toEqual([true, false, false]);
  });
});
