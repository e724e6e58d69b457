import { operation } from '@plinth/contract';
import { scimQuery } from './scim.dialect';

describe('query of a SCIM request', () => {
  it('has the names of the contract, however they are written', () => {
    const query = { startindex: '0', EXCLUDEDATTRIBUTES: 'members', count: '5', aadOptscim062020: '' };
    expect(scimQuery(operation('listScimGroups'), query)).toEqual({
      startIndex: '0',
      excludedAttributes: 'members',
      count: '5',
      aadOptscim062020: '',
    });
  });
});
