import { CUSTOM, ENTERPRISE, findAttribute, GROUP, schemasOf, USER, type AttributePath } from '@plinth/scim-protocol';
import type { Column, ColumnOf } from './filter-sql';

/** Attributes with a column of their own; `u` is the account. */
const userColumns: Readonly<Record<string, Column>> = {
  id: { type: 'id', sql: 'u.id' },
  externalId: { type: 'exact', sql: 'u.external_id' },
  userName: { type: 'folded', sql: 'u.username', within: 'u.search_text' },
  schemas: {
    type: 'constants',
    texts: [
      { text: USER, where: 'true' },
      { text: ENTERPRISE, where: `u.folded_profile ? '${ENTERPRISE.toLowerCase()}'` },
      {
        text: CUSTOM,
        // The offset keeps PostgreSQL from reading the facts of all tenants at once.
        where: 'exists (select from user_attribute_value v where v.user_id = u.id and v.value is not null offset 0)',
      },
    ],
  },
  'meta.resourceType': { type: 'exact', sql: `'User'::text` },
  active: { type: 'boolean', sql: '(u.deactivated_at is null)' },
  'meta.created': { type: 'time', sql: 'u.created_at' },
  'meta.lastModified': { type: 'time', sql: 'u.updated_at' },
  'groups.value': {
    type: 'membership',
    sql: 'exists (select from (select m.group_id as id from user_group_member m where m.user_id = u.id) g where ?)',
  },
};

const groupColumns: Readonly<Record<string, Column>> = {
  id: { type: 'id', sql: 'g.id' },
  externalId: { type: 'exact', sql: 'g.external_id' },
  displayName: { type: 'folded', sql: 'g.name' },
  schemas: { type: 'constants', texts: [{ text: GROUP, where: 'true' }] },
  'meta.resourceType': { type: 'exact', sql: `'Group'::text` },
  'meta.created': { type: 'time', sql: 'g.created_at' },
  'meta.lastModified': { type: 'time', sql: 'g.updated_at' },
  'members.value': {
    type: 'membership',
    sql: 'exists (select from (select m.user_id as id from user_group_member m where m.group_id = g.id) u where ?)',
  },
};

/** Attributes that are the service's own affair and have no column cannot be filtered by. */
const unknown = new Set(['meta', 'groups', 'password']);

export const columnOfUser: ColumnOf = (path) => {
  if (path.schema === CUSTOM) return { type: 'fact', name: path.name };
  const found =
    userColumns[nameOf(path)] ?? (path.name === 'groups' && !path.sub ? userColumns['groups.value'] : undefined);
  if (found || (path.schema === USER && unknown.has(path.name))) return found;
  const keys = [...(path.schema === ENTERPRISE ? [ENTERPRISE] : []), path.name, ...(path.sub ? [path.sub] : [])];
  return {
    type: 'document',
    sql: 'u.folded_profile',
    keys: keys.map((key) => key.toLowerCase()),
    isList: isList(path),
  };
};

export const columnOfGroup: ColumnOf = (path) =>
  path.schema === GROUP ? groupColumns[path.name === 'members' ? 'members.value' : nameOf(path)] : undefined;

/** What resources can be sorted by: what has one value in a column. */
export function orderOf(columnOf: ColumnOf, path: AttributePath): string | undefined {
  const column = columnOf(path);
  if (!column || !('sql' in column) || column.type === 'membership') return undefined;
  if (column.type === 'folded') return `lower(${column.sql})`;
  if (column.type !== 'document') return column.sql;
  return column.isList ? undefined : `${column.sql} #>> '{${column.keys.join(',')}}'`;
}

const nameOf = ({ schema, name, sub }: AttributePath): string =>
  schema === ENTERPRISE ? '' : sub ? `${name}.${sub}` : name;

const isList = ({ schema, name }: AttributePath): boolean => {
  const attributes = schemasOf.User.find(({ id }) => id === schema)?.attributes ?? [];
  return findAttribute(attributes, name)?.multiValued ?? false;
};
