import { validateDataReply, validateReply } from './index';

const error = { error: 'No', message: 'No', code: 'not_found', requestId: 'r-1' };

describe('validateReply', () => {
  it('names a status that the contract does not declare', () => {
    expect(validateReply('getDeployment', 418, {})).toEqual([
      { path: '/status', message: '418 is not declared for getDeployment' },
    ]);
  });

  it('names missing and wrong fields of a reply', () => {
    expect(validateReply('getDeployment', 200, { id: '12', name: 'Sales', deploymentUrl: 'http://x' })).toEqual(
      expect.arrayContaining([
        { path: '/body/id', message: 'must be an integer' },
        { path: '/body/creationStep', message: 'is required' },
      ]),
    );
  });

  it('names a body that is missing', () => {
    expect(validateReply('getDeployment', 200, undefined)).toEqual([{ path: '/body', message: 'is required' }]);
  });

  it('names fields of an error that lacks its code', () => {
    expect(validateReply('getDeployment', 404, { ...error, code: undefined })).toEqual([
      { path: '/body/code', message: expect.any(String) as string },
    ]);
    expect(validateReply('getDeployment', 404, error)).toEqual([]);
  });

  it('looks into trees and maps', () => {
    const page = { endCursor: null, startCursor: null, hasNextPage: false, hasPreviousPage: false };
    const tree = (leaf: object) => [{ path: '/model', type: 'directory', children: [leaf] }];
    const reply = (leaf: object) => ({ items: tree(leaf), data: tree(leaf), pageInfo: page });
    expect(validateReply('listFiles', 200, reply({ path: '/model/a.yml', type: 'file' }))).toEqual([]);
    expect(validateReply('listFiles', 200, reply({ path: '/model/a.yml', type: 'link' }))).toContainEqual({
      path: '/body/items/0/children/0/type',
      message: 'must be one of file, directory',
    });
    expect(validateReply('fileHashes', 200, { 'a.yml': {} })).toEqual([
      { path: '/body/a.yml/hash', message: 'is required' },
    ]);
  });

  it('covers replies between services', () => {
    expect(validateReply('authenticate', 200, { principal: null })).toEqual([]);
    expect(validateReply('authenticate', 200, {})).toEqual([{ path: '/body/principal', message: 'is required' }]);
  });
});

describe(validateDataReply.name, () => {
  const load = '/deployments/1/dev-mode/dev-x/cubejs-api/v1/load';
  const rows = { query: {}, data: [{ 'orders.count': '1' }], annotation: {} };

  it('finds what the document of the data API does not have', () => {
    expect(validateDataReply('POST', load, 402, {})).toMatchObject([{ path: '/status' }]);
    expect(validateDataReply('POST', load, 403, { message: 'No' })).toEqual([
      { path: '/body/error', message: 'is required' },
    ]);
    expect(validateDataReply('POST', load, 200, { data: [] })).not.toEqual([]);
    expect(validateDataReply('GET', '/deployments/1/livez', 200, { health: 'DOWN' })).not.toEqual([]);
  });

  it('takes what the document has, wherever an address begins, and leaves other paths alone', () => {
    expect(validateDataReply('POST', load, 200, rows)).toEqual([]);
    expect(validateDataReply('GET', '/v1/load', 200, { results: [rows] })).toEqual([]);
    expect(validateDataReply('GET', load, 200, { error: 'Continue wait' })).toEqual([]);
    expect(validateDataReply('POST', '/v1/cubesql', 200, '{"schema":[]}\n{"data":[]}')).toEqual([]);
    expect(validateDataReply('GET', '/api/v1/users/me', 418, {})).toEqual([]);
  });
});
