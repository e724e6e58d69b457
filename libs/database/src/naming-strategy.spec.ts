import { PlinthNamingStrategy } from './naming-strategy';

describe(PlinthNamingStrategy.name, () => {
  const naming = new PlinthNamingStrategy();

  it('names tables and columns in snake case', () => {
    expect(naming.tableName('ApiKeyEntity', undefined)).toBe('api_key');
    expect(naming.columnName('createdAt', '', [])).toBe('created_at');
    expect(naming.joinColumnName('ownerUser', 'id')).toBe('owner_user_id');
  });

  it('names keys and indexes by table, columns and kind', () => {
    expect(naming.primaryKeyName('control_plane.api_key', ['id'])).toBe('api_key_id_pk');
    expect(naming.uniqueConstraintName('api_key', ['tenantId', 'name'])).toBe('api_key_tenant_id_name_unique');
    expect(naming.foreignKeyName('api_key', ['user_id'])).toBe('api_key_user_id_fk');
    expect(naming.indexName('api_key', ['user_id'])).toBe('api_key_user_id_index');
  });
});
