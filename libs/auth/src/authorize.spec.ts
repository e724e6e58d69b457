import { operation, type OperationId } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { authorize } from './authorize';
import { anonymousPrincipal, systemPrincipal, type Principal } from './principal';

const admin: Principal = { ...systemPrincipal(1), kind: 'api-key' };

function outcome(principal: Principal, operationId: OperationId, path: unknown = {}): string {
  try {
    authorize(principal, operation(operationId), path);
    return 'allowed';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

describe(authorize.name, () => {
  it('refuses a kind of credential that the operation does not name, whoever holds it', () => {
    expect(outcome({ ...admin, kind: 'scim-token' }, 'getUsers')).toBe('access.credential_not_accepted');
    expect(outcome({ ...admin, kind: 'access-token' }, 'listScimUsers')).toBe('access.credential_not_accepted');
    expect(outcome({ ...admin, kind: 'scim-token' }, 'listScimUsers')).toBe('allowed');
  });

  it('asks for a credential before it asks for its kind', () => {
    expect(outcome(anonymousPrincipal(1, 'local'), 'listScimUsers')).toBe('auth.credential_missing');
  });

  it('refuses a limited credential what concerns the account, and leaves it the rest', () => {
    for (const deploymentIds of [[], [1]]) {
      expect(outcome({ ...admin, deploymentIds }, 'createUser')).toBe('access.deployment_out_of_scope');
      expect(outcome({ ...admin, deploymentIds }, 'getUsers')).toBe('allowed');
    }
  });

  it.each([1, '1'])('takes the deployment from the path, be it a number or its text: %p', (deploymentId) => {
    const limited = { ...admin, deploymentIds: [1] };
    expect(outcome(limited, 'getDeployment', { deploymentId })).toBe('allowed');
    expect(outcome({ ...admin, deploymentIds: [2] }, 'getDeployment', { deploymentId })).toBe(
      'access.deployment_out_of_scope',
    );
  });

  it('leaves an id that is no number to validation', () => {
    expect(outcome({ ...admin, deploymentIds: [1] }, 'getDeployment', { deploymentId: 'x' })).toBe('allowed');
  });
});
