import { operations, type Permission } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { actionNames, describeAction } from './actions';
import { builtInPolicies, builtInRoles, isReservedRoleName } from './built-in-roles';
import { grantsOf } from './grants';
import { anonymousPrincipal, systemPrincipal, type Principal } from './principal';
import { hasAccess, requireAccess, visibleDeployments } from './require-access';

const holder = (grants: Principal['grants'], more: Partial<Principal> = {}): Principal => ({
  ...systemPrincipal(1),
  kind: 'api-key',
  isAdmin: false,
  grants,
  ...more,
});
const viewer = holder(grantsOf(builtInPolicies.Viewer));
const explorer = holder(grantsOf(builtInPolicies.Explorer));
const reader = (ids: number[]) =>
  holder([
    { action: 'AIBIView', deploymentIds: null },
    { action: 'DeploymentRead', deploymentIds: ids },
  ]);

function outcome(principal: Principal, permission: Permission, deploymentId?: number): string {
  try {
    requireAccess(principal, permission, deploymentId);
    return 'allowed';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

describe('requireAccess', () => {
  it('lets nobody in without a credential, except to what is public', () => {
    const anonymous = anonymousPrincipal(1, 'local');
    expect(outcome(anonymous, 'public')).toBe('allowed');
    for (const permission of ['self', 'signed-in', 'admin', 'DeploymentRead'] as const) {
      expect(outcome(anonymous, permission)).toBe('auth.credential_missing');
    }
  });

  it('lets a user without a licence tier see who they are, and nothing else', () => {
    const nobody = holder([]);
    expect(outcome(nobody, 'signed-in')).toBe('allowed');
    for (const permission of ['self', 'admin', 'DeploymentRead'] as const) {
      expect(outcome(nobody, permission)).toBe('access.no_licence');
    }
  });

  it('keeps a limited credential to its deployments, also that of an administrator', () => {
    const limited = { ...systemPrincipal(1), deploymentIds: [1] };
    expect(outcome(limited, 'SchemaRead', 1)).toBe('allowed');
    expect(outcome(limited, 'SchemaRead', 2)).toBe('access.deployment_out_of_scope');
  });

  it('takes an administrator for the platform itself as little as anybody else', () => {
    expect(outcome(systemPrincipal(1), 'system')).toBe('allowed');
    expect(outcome(holder([], { isAdmin: true }), 'system')).toBe('access.denied');
    expect(outcome(anonymousPrincipal(1, 'local'), 'system')).toBe('auth.credential_missing');
  });

  it('asks for the action on the very deployment', () => {
    expect(outcome(reader([1]), 'DeploymentRead', 1)).toBe('allowed');
    expect(outcome(reader([1]), 'DeploymentRead', 2)).toBe('access.denied');
    expect(outcome(reader([1]), 'SchemaRead', 1)).toBe('access.denied');
    expect(outcome(reader([1]), 'admin')).toBe('access.denied');
  });

  it.each(['self', 'AIBIView', 'WorkbookRead'] as const)('asks for an open deployment under %s', (permission) => {
    expect(outcome(reader([1]), permission, 1)).toBe('allowed');
    expect(outcome(reader([1]), permission, 2)).toBe('access.denied');
  });

  it('asks for the tier that working with a thing inside a deployment takes', () => {
    expect(outcome(viewer, 'WorkbookRead', 1)).toBe('allowed');
    expect(outcome(viewer, 'WorkbookEdit', 1)).toBe('access.denied');
    expect(outcome(explorer, 'WorkbookEdit', 1)).toBe('allowed');
  });

  it('never lets All on deployments stand for an action on the account', () => {
    const owner = holder([{ action: 'All', deploymentIds: null }]);
    expect(hasAccess(owner, 'SecretsManage', 5)).toBe(true);
    for (const action of actionNames.filter((name) => describeAction(name).level === 'global')) {
      expect(hasAccess(owner, action)).toBe(false);
    }
  });
});

describe('visibleDeployments', () => {
  it('is what both the grants and the credential reach', () => {
    expect(visibleDeployments(reader([1, 2]), 'DeploymentRead')).toEqual([1, 2]);
    expect(visibleDeployments({ ...reader([1, 2]), deploymentIds: [2, 3] }, 'DeploymentRead')).toEqual([2]);
    expect(visibleDeployments(viewer, 'DeploymentRead')).toBeNull();
    expect(visibleDeployments(viewer, 'SchemaRead')).toEqual([]);
  });
});

describe('the contract', () => {
  it('scopes no operation on one deployment to an action on the account', () => {
    const wrong = operations.filter(
      ({ access: { permission, scope } }) =>
        scope === 'deployment' &&
        !['admin', 'self', 'signed-in', 'public', 'system'].includes(permission) &&
        describeAction(permission as 'All').level === 'global' &&
        !permission.startsWith('AIBI'),
    );
    expect(wrong).toEqual([]);
  });
});

describe('names of roles', () => {
  it('keeps those of built-in roles, of whatever generation and case', () => {
    const names = ['AIBIDeveloper', 'D3User', 'AIBIUser', 'AIBIViewer', 'Guest', 'EmbedUser', 'admin', ...builtInRoles];
    expect(names.filter((name) => !isReservedRoleName(name))).toEqual([]);
    expect(['None', 'All', 'Analysts'].filter(isReservedRoleName)).toEqual([]);
  });
});
