import type { Action, Policy } from './actions';
import { builtInPolicies } from './built-in-roles';
import { grantsOf } from './grants';

const account = (...actions: Action[]): Policy => ({ resourceType: 'Global', actions, resources: ['All'] });
const on = (resources: string[], ...actions: Action[]): Policy => ({ resourceType: 'Deployment', actions, resources });
const view = account('AIBIView');

/** The reach of each granted action: `all`, or the ids. */
const reaches = (...policies: Policy[]): Record<string, 'all' | number[]> =>
  Object.fromEntries(
    grantsOf(policies).map(({ action, deploymentIds }) => [
      action,
      deploymentIds === null ? 'all' : [...deploymentIds].sort((left, right) => left - right),
    ]),
  );

describe('what policies grant', () => {
  it('is nothing without a licence tier, whatever they say of deployments', () => {
    expect(grantsOf([on(['All'], 'All'), account('AuditLogManage')])).toEqual([]);
  });

  it('is nothing on a deployment that DeploymentRead does not open', () => {
    expect(reaches(view, on(['1', '2'], 'SchemaRead'), on(['2'], 'DeploymentRead'))).toEqual({
      AIBIView: 'all',
      SchemaRead: [2],
      DeploymentRead: [2],
    });
    expect(reaches(view, on(['All'], 'SecretsManage'))).toEqual({ AIBIView: 'all' });
  });

  it('does not let All on deployments reach the account, nor All on the account reach deployments', () => {
    expect(reaches(view, on(['All'], 'All'))).toEqual({ AIBIView: 'all', All: 'all', DeploymentRead: 'all' });
    const ofAccount = reaches({ ...account('All') });
    expect(ofAccount).toMatchObject({ AuditLogManage: 'all', AIBIDevelop: 'all' });
    expect(ofAccount).not.toHaveProperty('SecretsManage');
    expect(ofAccount).not.toHaveProperty('All');
  });

  it('ignores an action under the wrong kind of resource, and kinds of resources that others decide on', () => {
    const elsewhere: Policy = { resourceType: 'Workbook', actions: ['WorkbookRead'], resources: ['7'] };
    expect(reaches(view, account('SecretsManage'), on(['1'], 'DeploymentRead', 'BillingRead'), elsewhere)).toEqual({
      AIBIView: 'all',
      DeploymentRead: [1],
    });
  });

  it('is the union of all of them', () => {
    expect(reaches(view, on(['3', '1'], 'DeploymentRead'), on(['2', '1'], 'DeploymentRead'))).toMatchObject({
      DeploymentRead: [1, 2, 3],
    });
    expect(reaches(view, on(['3'], 'DeploymentRead'), on(['All'], 'DeploymentRead'))).toMatchObject({
      DeploymentRead: 'all',
    });
  });

  it.each([
    ['AIBIDevelop', ['AIBIDevelop', 'AIBIExplore', 'AIBIView']],
    ['AIBIExplore', ['AIBIExplore', 'AIBIView']],
    ['AIBIView', ['AIBIView']],
    ['AIBIUser', ['AIBIExplore', 'AIBIUser', 'AIBIView']],
  ] as [Action, string[]][])('lets the tier %s satisfy those below it and none above', (tier, satisfied) => {
    expect(Object.keys(reaches(account(tier))).sort()).toEqual(satisfied);
  });

  it('gives no deployment with a tier alone', () => {
    expect(reaches(account('AIBIDevelop'))).not.toHaveProperty('DeploymentRead');
  });

  it('covers every deployment and their creation with DeploymentsManage', () => {
    expect(reaches(view, account('DeploymentsManage'))).toMatchObject({
      DeploymentCreate: 'all',
      DeploymentUpdate: 'all',
    });
    expect(reaches(view, account('DeploymentsManage'))).not.toHaveProperty('SecretsManage');
  });

  it('lets a Developer do everything with deployments and nothing with the account', () => {
    const developer = reaches(...builtInPolicies.Developer);
    expect(developer).toMatchObject({ All: 'all', DeploymentCreate: 'all', AIBIDevelop: 'all' });
    expect(developer).not.toHaveProperty('AuditLogManage');
  });
});
