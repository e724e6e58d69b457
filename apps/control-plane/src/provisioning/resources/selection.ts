import type { BodyOf } from '@plinth/contract';
import type { Database } from '@plinth/database';
import type { AttributePath, Filter, ResourceKind } from '@plinth/scim-protocol';
import { conditionOf, Values } from './filter-sql';
import { columnOfGroup, columnOfUser, orderOf } from './provisioned-columns';

/** Which resources are meant, by position in a stable order. */
export interface Selection {
  filter?: Filter | undefined;
  offset: number;
  limit: number;
  sortBy?: AttributePath | undefined;
  descending?: boolean | undefined;
}

export interface Selected {
  total: number;
  ids: number[];
}

export interface Statement {
  text: string;
  values: unknown[];
}

const tables = {
  User: { table: 'user_account', alias: 'u', columnOf: columnOfUser },
  Group: { table: 'user_group', alias: 'g', columnOf: columnOfGroup },
};

/** What the SCIM service asks for; filters and paths cross the bus as the protocol's library wrote them. */
export const toSelection = (body: BodyOf<'findProvisionedUsers' | 'findProvisionedGroups'>): Selection => ({
  ...body,
  filter: body.filter as Filter | undefined,
  sortBy: body.sortBy as AttributePath | undefined,
});

/**
 * Asks for the ids of one page and the number of all. What a filter selects is found once, by the best index for all of
 * it: with the page's limit in sight PostgreSQL would go through the accounts in their order instead. Without a filter
 * both are read from an index alone.
 */
export function selectionOf(
  kind: ResourceKind,
  tenantId: number,
  { filter, offset, limit, sortBy, descending = false }: Selection,
): Statement {
  const { table, alias, columnOf } = tables[kind];
  const values = new Values();
  const conditions = [`${alias}.tenant_id = ${values.add(tenantId)}`];
  if (filter) conditions.push(conditionOf(filter, columnOf, values));
  const direction = descending ? 'desc' : 'asc';
  const position = (sortBy && orderOf(columnOf, sortBy)) ?? `${alias}.id`;
  const text = `
    with found as ${filter ? 'materialized' : 'not materialized'} (
      select ${alias}.id, ${position} as position from ${table} ${alias} where ${conditions.join(' and ')}
    )
    select (select count(*)::int from found) as total, array(
      select id from found order by position ${direction}, id ${direction}
      offset ${values.add(offset)} limit ${values.add(limit)}
    ) as ids`;
  return { text, values: values.list };
}

/**
 * Reads across tenants: conditions on documents are not leakproof, so row-level security would keep them away from their
 * index. The tenant is a condition of its own.
 */
export async function select(
  database: Database,
  kind: ResourceKind,
  tenantId: number,
  selection: Selection,
): Promise<Selected> {
  const { text, values } = selectionOf(kind, tenantId, selection);
  const [selected] = await database.readAsSystem<Selected>({ name: '', text }, values);
  return selected ?? { total: 0, ids: [] };
}
