import { operation } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { scimDialect } from './scim.dialect';

describe('query of a SCIM request', () => {
  it('has the names of the contract, however they are written', () => {
    const query = { startindex: '0', EXCLUDEDATTRIBUTES: 'members', count: '5', aadOptscim062020: '' };
    expect(scimDialect.query(operation('listScimGroups'), query)).toEqual({
      startIndex: '0',
      excludedAttributes: 'members',
      count: '5',
      aadOptscim062020: '',
    });
  });
});

describe('body of a SCIM request', () => {
  it.each([
    ...['text/plain', 'text/json', 'application/xml', 'application/x-www-form-urlencoded', ''],
    ...['application/merge-patch+json', 'application/json-patch+json', 'application/json-seq', 'application/jsonx'],
    ...['application/scim+json; charset=iso-8859-1', 'application/json;charset=utf-16', 'application/*'],
  ])('is refused as "%s"', (type) => {
    expect(() => scimDialect.requireMediaType(type)).toThrow(expect.objectContaining({ status: 415 }));
  });

  it.each([
    ...['application/json', 'application/scim+json', 'Application/SCIM+JSON', undefined],
    ...['application/scim+json; charset=utf-8', 'application/json;charset="UTF-8"', 'application/json; v=1'],
  ])('is read as %s', (type) => {
    expect(() => scimDialect.requireMediaType(type)).not.toThrow();
  });
});

describe('credential of a SCIM request', () => {
  it.each([
    ['sk-1', 'Bearer sk-1'],
    ['Bearer sk-1', 'Bearer sk-1'],
    ['Api-Key sk-1', 'Api-Key sk-1'],
    ['Basic a b', 'Basic a b'],
    ['', ''],
    [undefined, undefined],
  ])('%p stands for %p', (header, expected) => {
    expect(scimDialect.authorization(header)).toBe(expected);
  });
});

describe('parts of the protocol that are left out', () => {
  const unknown = new AppError('request.not_found', 'There is nothing');

  it.each(['Bulk', 'Me', 'me/x', '.search', '.search/'])('%s is 501', (part) => {
    expect(scimDialect.missing?.(unknown, `/api/scim/v2/${part}`).status).toBe(501);
  });

  it.each(['Bulky', 'search', '.searches', 'Users/7/.search'])('%s is 404', (part) => {
    expect(scimDialect.missing?.(unknown, `/api/scim/v2/${part}`).status).toBe(404);
  });
});
