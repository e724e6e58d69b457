import {
  actionNames,
  anonymousPrincipal,
  describeAction,
  systemPrincipal,
  type Action,
  type Principal,
} from '@plinth/auth';
import { credentialKinds, operations, type AccessDescription, type OperationId } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { startNatsServer } from '@plinth/testing';
import type { Bus, Call, Handler } from './bus';
import { silent } from './testing/conformance-kit';
import { createBus, type BusOptions } from './create-bus';
import { InProcessHub } from './in-process-transport';

const HERE = 1;
const ELSEWHERE = 2;

const everything = actionNames.map((action) => ({ action, deploymentIds: null }));
const hasAction = ({ permission }: AccessDescription): boolean =>
  (actionNames as readonly string[]).includes(permission);
const needsLicence = ({ permission }: AccessDescription): boolean =>
  !['public', 'signed-in', 'system'].includes(permission);
const needsUser = ({ permission }: AccessDescription): boolean => !['public', 'system'].includes(permission);

/** Somebody with a credential that the operation accepts. */
const user = ({ credentials }: AccessDescription, more: Partial<Principal> = {}): Principal => ({
  ...systemPrincipal(1),
  kind: credentials[0] ?? 'api-key',
  credentialId: 'api-key:1',
  userId: 7,
  isAdmin: false,
  ...more,
});
const administrator = (access: AccessDescription, more: Partial<Principal> = {}): Principal =>
  user(access, { isAdmin: true, grants: everything, ...more });

/** What an operation asks for at the door: the action, or for work on a thing inside a deployment the tier. */
const doorOf = ({ permission }: AccessDescription): Action =>
  describeAction(permission as Action).tier ?? (permission as Action);

/** All that it takes to pass: what is no action on deployments takes the open deployment besides. */
const keysOf = (access: AccessDescription): Action[] => {
  const door = doorOf(access);
  return describeAction(door).level === 'deployment' ? [door] : [door, 'DeploymentRead'];
};

interface Caller {
  name: string;
  /** Which operations the caller is a case of. */
  calls: (access: AccessDescription) => boolean;
  principal: (access: AccessDescription) => Principal;
  outcome: string;
}

const wrongCallers: readonly Caller[] = [
  {
    name: 'nobody in particular',
    calls: ({ permission }) => permission !== 'public',
    principal: () => anonymousPrincipal(1, 'local'),
    outcome: 'auth.credential_missing',
  },
  {
    name: 'a user without a licence tier',
    calls: needsLicence,
    principal: (access) => user(access),
    outcome: 'access.no_licence',
  },
  {
    name: 'a user who holds every action but this one',
    calls: hasAction,
    principal: (access) => user(access, { grants: everything.filter(({ action }) => action !== doorOf(access)) }),
    outcome: 'access.denied',
  },
  {
    name: 'a user who holds every action and is no administrator',
    calls: ({ permission }) => permission === 'admin',
    principal: (access) => user(access, { grants: everything }),
    outcome: 'access.denied',
  },
  {
    name: 'a user who holds every action on another deployment',
    calls: (access) => access.scope === 'deployment' && needsLicence(access) && access.permission !== 'admin',
    principal: (access) =>
      user(access, { grants: everything.map((each) => ({ ...each, deploymentIds: [ELSEWHERE] })) }),
    outcome: 'access.denied',
  },
  {
    name: 'an administrator whose credential is limited to another deployment',
    calls: (access) => access.scope === 'deployment' && needsUser(access),
    principal: (access) => administrator(access, { deploymentIds: [ELSEWHERE] }),
    outcome: 'access.deployment_out_of_scope',
  },
  {
    name: 'an administrator whose credential is limited to deployments',
    calls: ({ scope }) => scope === 'account',
    principal: (access) => administrator(access, { deploymentIds: [HERE] }),
    outcome: 'access.deployment_out_of_scope',
  },
  {
    name: 'an administrator, who is not the platform',
    calls: ({ permission }) => permission === 'system',
    principal: (access) => administrator(access),
    outcome: 'access.denied',
  },
  ...credentialKinds.map((kind) => ({
    name: `an administrator by credential of the kind ${kind}`,
    calls: ({ credentials }: AccessDescription) => !credentials.includes(kind),
    principal: (access: AccessDescription) => administrator(access, { kind }),
    outcome: 'access.credential_not_accepted',
  })),
];

const rightCallers: readonly Caller[] = [
  { name: 'the platform', calls: () => true, principal: () => systemPrincipal(1) },
  {
    name: 'nobody in particular',
    calls: ({ permission }: AccessDescription) => permission === 'public',
    principal: () => anonymousPrincipal(1, 'local'),
  },
  {
    name: 'a user without a licence tier',
    calls: ({ permission }: AccessDescription) => permission === 'signed-in',
    principal: (access: AccessDescription) => user(access),
  },
  {
    name: 'a user who holds this action alone, here',
    calls: hasAction,
    principal: (access: AccessDescription) =>
      user(access, { grants: keysOf(access).map((action) => ({ action, deploymentIds: [HERE] })) }),
  },
  {
    name: 'an administrator whose credential is limited to this deployment',
    calls: (access: AccessDescription) => access.scope !== 'account' && needsUser(access),
    principal: (access: AccessDescription) => administrator(access, { deploymentIds: [HERE] }),
  },
  ...credentialKinds.map((kind) => ({
    name: `an administrator by credential of the kind ${kind}`,
    calls: (access: AccessDescription) => needsUser(access) && access.credentials.includes(kind),
    principal: (access: AccessDescription) => administrator(access, { kind }),
  })),
].map((caller) => ({ ...caller, outcome: 'served' }));

type Cell = [operationId: OperationId, caller: string, outcome: string, principal: Principal];

const cellsOf = (callers: readonly Caller[]): Cell[] =>
  operations.flatMap(({ operationId, access }) =>
    callers
      .filter(({ calls }) => calls(access))
      .map(({ name, principal, outcome }): Cell => [operationId, name, outcome, principal(access)]),
  );

async function inOneProcess(): Promise<[Partial<BusOptions>, () => Promise<void>]> {
  return [{ hub: new InProcessHub() }, async () => {}];
}

async function overNats(): Promise<[Partial<BusOptions>, () => Promise<void>]> {
  const server = await startNatsServer();
  return [{ natsUrl: server.url }, () => server.stop()];
}

describe('callers that an operation is not for', () => {
  it('are there for every operation but those that anybody may call', () => {
    const called = new Set(cellsOf(wrongCallers).map(([operationId]) => operationId));
    const uncalled = operations.filter(({ operationId }) => !called.has(operationId));
    expect(uncalled.filter(({ access }) => access.permission !== 'public')).toEqual([]);
  });
});

describe.each([
  ['in one process', inOneProcess],
  ['over NATS', overNats],
])('whatever takes a call off the bus, %s,', (_name, start) => {
  let server: Bus;
  let client: Bus;
  let stop: () => Promise<void>;
  let served: number;

  beforeAll(async () => {
    let options: Partial<BusOptions>;
    [options, stop] = await start();
    server = await createBus({ name: 'control-plane', logger: silent, ...options });
    client = await createBus({ name: 'gateway', logger: silent, ...options });
    const handler = async (): Promise<string> => `served ${++served}`;
    await server.serve(new Map(operations.map(({ operationId }) => [operationId, handler as unknown as Handler])));
  });
  beforeEach(() => {
    served = 0;
  });
  afterAll(async () => {
    await Promise.all([client.close(0), server.close(0)]);
    await stop();
  });

  async function outcomeOf(operationId: OperationId, principal: Principal): Promise<string> {
    const call = { principal, path: { deploymentId: HERE }, query: {} } as unknown as Call<OperationId>;
    try {
      await client.call(operationId, call);
    } catch (error) {
      return error instanceof AppError ? error.code : String(error);
    }
    return 'served';
  }

  it.each(cellsOf(wrongCallers))('refuses %s to %s: %s', async (operationId, _caller, outcome, principal) => {
    expect(await outcomeOf(operationId, principal)).toBe(outcome);
    expect(served).toBe(0);
  });

  it.each(cellsOf(rightCallers))('hands %s by %s to its handler', async (operationId, _caller, outcome, principal) => {
    expect(await outcomeOf(operationId, principal)).toBe(outcome);
    expect(served).toBe(1);
  });
});
