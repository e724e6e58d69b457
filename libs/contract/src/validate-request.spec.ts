import { validateRequest, type OperationId, type RawRequest } from './index';

const request = (parts: Partial<RawRequest>): RawRequest => ({ path: {}, query: {}, body: undefined, ...parts });

const problems = (...args: Parameters<typeof validateRequest>) => {
  const verdict = validateRequest(...args);
  return verdict.ok ? [] : verdict.problems;
};

/** That the request has this fault, and no other. */
const expectFault = (id: OperationId, parts: Partial<RawRequest>, path: string, message: string) =>
  expect(problems(id, request(parts))).toEqual([{ path, message }]);

const deployment = {
  name: 'Sales',
  region: 'local',
  cloudProvider: 'cubecloud',
  targetPlatform: 'aws',
  isManaged: true,
  creationStep: 'project',
};

describe('validateRequest refuses', () => {
  const path = { deploymentId: '12' };

  it('a path id that is not an integer', () => {
    for (const deploymentId of ['abc', '1.5', '0x10', '1e3', ' 7', '']) {
      expectFault('getDeployment', { path: { deploymentId } }, '/path/deploymentId', 'must be an integer');
    }
  });

  it('ids outside the safe integer range', () => {
    expectFault('getDeployment', { path: { deploymentId: '0' } }, '/path/deploymentId', 'must be at least 1');
    for (const deploymentId of ['9007199254740993', '9'.repeat(400)]) {
      expect(problems('getDeployment', request({ path: { deploymentId } }))).not.toEqual([]);
    }
    expect(problems('createApiKey', request({ body: { deploymentIds: [2 ** 53] } }))).toContainEqual(
      expect.objectContaining({ path: '/body/deploymentIds/0' }),
    );
  });

  it('a page size below 1 and one that is no number', () => {
    expectFault('listRegions', { query: { first: '0' } }, '/query/first', 'must be at least 1');
    expectFault('listRegions', { query: { first: 'ten' } }, '/query/first', 'must be an integer');
  });

  it('a single parameter that is given twice', () => {
    expectFault('listRegions', { query: { first: ['1', '2'] } }, '/query/first', 'must be given once');
    expect(problems('createRole', request({ body: { name: ['a', 'b'] } }))).toContainEqual({
      path: '/body/name',
      message: 'must be a string',
    });
  });

  it('a query value outside its enum and a missing one that is required', () => {
    expectFault(
      'getDeployments',
      { query: { creationStep: ['ready', 'done'] } },
      '/query/creationStep/1',
      'must be one of project, upload, schema, github, ssh, databases, ready, demo',
    );
    expectFault('removeBranch', { path }, '/query/branchName', 'is required');
    expectFault('removeBranch', { path, query: { branchName: '' } }, '/query/branchName', 'must not be empty');
  });

  it('a body that is missing, null or no object', () => {
    expectFault('createDeployment', {}, '/body', 'is required');
    expectFault('createDeployment', { body: null }, '/body', 'must be an object');
    expectFault('createDeployment', { body: [] }, '/body', 'must be an object');
  });

  it('all faults at once, each with its pointer', () => {
    const body = { ...deployment, name: '   ', region: undefined, cloudProvider: 'azure', isManaged: 'true' };
    expect(problems('createDeployment', request({ body: JSON.parse(JSON.stringify(body)) }))).toEqual(
      expect.arrayContaining([
        { path: '/body/name', message: 'must not be blank' },
        { path: '/body/region', message: 'is required' },
        { path: '/body/cloudProvider', message: 'must be one of cubecloud, aws, gcp' },
        { path: '/body/isManaged', message: 'must be true or false' },
      ]),
    );
  });

  it('null where the contract has no null', () => {
    expectFault('createDeployment', { body: { ...deployment, name: null } }, '/body/name', 'must be a string');
    const token = { path: { deploymentId: '12', environmentId: '31' }, body: { security_context: null } };
    expectFault('createDeploymentEnvironmentToken', token, '/body/security_context', 'must be an object');
  });

  it('a lifetime out of bounds', () => {
    const body = { security_context: {}, expires_in: 86_401 };
    const ids = { deploymentId: '12', environmentId: '31' };
    for (const id of ['createDeploymentEnvironmentToken', 'createDeploymentEnvironmentTokenForMetaSync'] as const) {
      expectFault(id, { path: ids, body }, '/body/expires_in', 'must be at most 86400');
    }
  });

  it('a nullable object of the wrong type with one sentence', () => {
    expectFault('updateDeployment', { path, body: { cspsConfig: 'gcs' } }, '/body/cspsConfig', 'must be an object');
    expectFault(
      'updateDeployment',
      { path, body: { cspsConfig: { enabled: true } } },
      '/body/cspsConfig/storageProvider',
      'is required',
    );
  });

  it('a branch that is white space alone, in a query and in a body', () => {
    const message = 'must not be white space alone';
    for (const branchName of [' ', '\t\n', '\u00a0']) {
      for (const id of ['buildStatus', 'listFiles', 'validateDataModel', 'startUpload'] as const) {
        expectFault(id, { path, query: { branchName } }, '/query/branchName', message);
      }
      for (const id of ['updateFiles', 'startDevMode', 'startUpload', 'commitChanges', 'pull'] as const) {
        const body = { branchName, files: [] };
        expectFault(id, { path, body }, '/body/branchName', message);
      }
      expectFault('removeBranch', { path, query: { branchName } }, '/query/branchName', message);
      expectFault(
        'updateDeployment',
        { path, body: { deployBranchName: branchName } },
        '/body/deployBranchName',
        message,
      );
    }
  });

  it('a commit message with a null character', () => {
    const message = 'must not hold a null character';
    for (const id of ['commitChanges', 'mergeIntoParentBranch', 'mergeToDefaultBranch'] as const) {
      const body = { message: 'first line\nsecond\0line' };
      expectFault(id, { path, body }, '/body/message', message);
    }
    const body = { transaction: { id: 'x' }, files: {}, commitMessage: '\0' };
    expectFault('finishUpload', { path, body }, '/body/commitMessage', message);
  });

  it('a moment outside the years 1 to 9999 in UTC, and one that no calendar has', () => {
    const message = 'must be a date and time as in 2026-03-02T09:30:00Z, within the years 1 to 9999 in UTC';
    const refused = ['0000-12-31T23:59:59Z', '0001-01-01T00:30:00+01:00', '9999-12-31T23:30:00-01:00'];
    for (const expiresAt of [...refused, '2026-02-30T00:00:00Z', '2016-12-31T23:59:60Z', '12026-01-01T00:00:00Z']) {
      expectFault('createScimToken', { body: { expiresAt } }, '/body/expiresAt', message);
    }
    for (const expiresAt of ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59+01:00']) {
      expect(problems('createScimToken', request({ body: { expiresAt } }))).toEqual([]);
    }
  });

  it('a body of which nothing is known, when something looks misspelt, and says what was meant', () => {
    const proposal = { path: '/body/releaseChanel', message: 'is not known; did you mean releaseChannel?' };
    expect(problems('updateDeployment', request({ path, body: { releaseChanel: 'edge', colour: 'red' } }))).toEqual([
      proposal,
    ]);
    expect(problems('updateDeployment', request({ path, body: { colour: 'red' } }))).toEqual([]);
    const meant = { path: '/body/nmae', message: 'is not known; did you mean name?' };
    expect(problems('createRole', request({ body: { nmae: 'Analysts' } }))).toContainEqual(meant);
  });

  it('a choice between fields with one sentence', () => {
    expectFault('removeFiles', { path, body: {} }, '/body', 'must have files, or paths');
    expectFault('renameFiles', { path, body: { from: 'a.yml' } }, '/body', 'must have files, or from and to');
    expectFault('removeFiles', { path, body: { paths: [1] } }, '/body/paths/0', 'must be a string');
  });

  it('faults in the items of a list', () => {
    const body = { files: [{ path: 'a.yml', content: '' }, { path: '' }] };
    expect(problems('updateFiles', request({ path, body }))).toEqual(
      expect.arrayContaining([
        { path: '/body/files/1/content', message: 'is required' },
        { path: '/body/files/1/path', message: 'must not be empty' },
      ]),
    );
  });
});

describe('validateRequest accepts', () => {
  const path = { deploymentId: '12' };

  it('parameters as text and returns them typed', () => {
    expect(validateRequest('getDeployment', request({ path: { deploymentId: '9007199254740991' } }))).toEqual({
      ok: true,
      path: { deploymentId: Number.MAX_SAFE_INTEGER },
      query: {},
      body: undefined,
      misspelt: [],
    });
    const query = { withContent: 'true', showLastCLIUpload: 'false', first: '5' };
    expect(validateRequest('listFiles', request({ path, query }))).toMatchObject({
      ok: true,
      query: { withContent: true, showLastCLIUpload: false, first: 5 },
    });
  });

  it('one or several values of a repeatable parameter as a list', () => {
    const typed = (creationStep: string | string[]) =>
      validateRequest('getDeployments', request({ query: { creationStep } }));
    expect(typed('ready')).toMatchObject({ ok: true, query: { creationStep: ['ready'] } });
    expect(typed(['ready', 'demo'])).toMatchObject({ ok: true, query: { creationStep: ['ready', 'demo'] } });
  });

  it('unknown parameters and drops them, inherited names included', () => {
    const query = { colour: 'red', constructor: 'x', __proto__: 'y' };
    expect(validateRequest('listRegions', request({ query }))).toMatchObject({ ok: true, query: {} });
  });

  it('an empty filter as a filter, where the contract allows for one', () => {
    const verdict = validateRequest('listScimUsers', request({ query: { filter: '', sortBy: '' } }));
    expect(verdict).toMatchObject({ ok: true, query: { filter: '' } });
    expect(verdict).not.toHaveProperty('query.sortBy');
  });

  it('an empty optional branch as absent', () => {
    expect(validateRequest('buildStatus', request({ path, query: { branchName: '' } }))).toEqual({
      ok: true,
      path: { deploymentId: 12 },
      query: {},
      body: undefined,
      misspelt: [],
    });
  });

  it('unknown body fields, without touching the body', () => {
    const body = Object.freeze({ ...deployment, colour: 'red' });
    const verdict = validateRequest('createDeployment', request({ body }));
    expect(verdict).toMatchObject({ ok: true, body: { colour: 'red' } });
  });

  it('null and absence, kept apart', () => {
    expect(validateRequest('updateDeployment', request({ path, body: { customDomain: null } }))).toMatchObject({
      ok: true,
      body: { customDomain: null },
    });
    const verdict = validateRequest('updateDeployment', request({ path, body: {} }));
    expect(verdict.ok && verdict.body).toStrictEqual({});
  });

  it('an absent body where it is optional and drops one where none is taken', () => {
    const optional = ['updateDeployment', 'deploymentToken', 'startDevMode', 'commitChanges'] as const;
    for (const id of optional)
      expect(validateRequest(id, request({ path }))).toMatchObject({ ok: true, body: undefined });
    expect(validateRequest('resetCreationStep', request({ path, body: { any: 1 } }))).toMatchObject({
      ok: true,
      body: undefined,
    });
  });

  it('what every generation of the command-line client sends', () => {
    const accepted = [
      validateRequest('createBranch', request({ path, body: { name: 'metrics', enterDevMode: true } })),
      validateRequest('removeFiles', request({ path, body: { paths: ['a.yml'] } })),
      validateRequest('renameFiles', request({ path, body: { from: 'a.yml', to: 'b.yml' } })),
      validateRequest('commitChanges', request({ path, body: { branchName: 'dev-ada-1' } })),
      validateRequest('mergeToDefaultBranch', request({ path, body: { removeBranchAfterMerge: true } })),
    ];
    expect(accepted.map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
  });

  it('a misspelt property beside one that is known, and names it', () => {
    const misspelt = (...[id, body]: [Parameters<typeof validateRequest>[0], unknown]) => {
      const verdict = validateRequest(id, request({ path: { ...path, workbookId: '1' }, body }));
      return verdict.ok ? verdict.misspelt : verdict;
    };
    const update = { name: 'Sales', releaseChanel: 'edge', colour: 'red', NAME: 'x' };
    expect(misspelt('updateDeployment', update)).toEqual([{ path: '/body/releaseChanel', meant: 'releaseChannel' }]);
    const position = { x: 0, y: 0, w: 1, h: 1 };
    const draft = { widgets: [{ type: 'CHART', position, stlye: 'x', config: { tilte: 1 } }], settings: { them: 1 } };
    expect(misspelt('updateWorkbookDashboard', { dashboardDraft: draft })).toEqual([
      { path: '/body/dashboardDraft/widgets/0/stlye', meant: 'style' },
    ]);
    const claims = { security_context: { securty: 1 }, expires_in: 60, expiresIn: 60 };
    expect(misspelt('createWorkbook', { name: 'x', meta: { dashbordDraft: 1 } })).toEqual([]);
    const environment = { ...path, environmentId: '3' };
    const token = validateRequest('createDeploymentEnvironmentToken', request({ path: environment, body: claims }));
    expect(token).toMatchObject({ ok: true, misspelt: [] });
  });

  it('many strangers, of which it names a few and looks at no more than it has to', () => {
    const some = Object.fromEntries(Array.from({ length: 50_000 }, (_value, index) => [`releaseChannel${index}`, 1]));
    const verdict = validateRequest('updateDeployment', request({ path, body: { name: 'Sales', ...some } }));
    expect(verdict.ok && verdict.misspelt).toHaveLength(8);
    const strangers = Object.fromEntries(Object.keys(some).map((name) => [`${name}-with-an-end-of-its-own`, 1]));
    const body = { name: 'Sales', ...strangers, releaseChanel: 1 };
    expect(validateRequest('updateDeployment', request({ path, body }))).toMatchObject({ misspelt: [] });
  });

  it('requests between services', () => {
    const tokenHash = 'a'.repeat(64);
    expect(validateRequest('authenticate', request({ body: { tenantId: 1, tokenHash } }))).toMatchObject({ ok: true });
    expectFault(
      'authenticate',
      { body: { tenantId: 1, tokenHash: 'short' } },
      '/body/tokenHash',
      'must match ^[0-9a-f]{64}$',
    );
  });
});
