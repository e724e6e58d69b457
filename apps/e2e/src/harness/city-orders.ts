import type { TestDatabase } from '@plinth/testing';
import { Client } from 'pg';
import type { ApiClient } from './api-client';
import { createShopDatabase, Shop } from './shop';
import type { Topology } from './topology';

/** Orders, of which everybody sees those of customers in their own city. */
const ownOrders = {
  path: 'model/cubes/own_orders.js',
  content: `cube('own_orders', {
    sql: 'select o.id, o.status, c.city from orders o join customers c on c.id = o.customer_id',
    dimensions: {
      id: { sql: 'id', type: 'number', primary_key: true },
      status: { sql: 'status', type: 'string' },
      city: { sql: 'city', type: 'string' },
    },
    measures: { count: { type: 'count' } },
    access_policy: [{ group: '*', row_level: { filters: [
      { member: 'city', operator: 'equals', values: [securityContext.cubeCloud.userAttributes.city] }] } }],
  });\n`,
};
const bar = {
  $schema: 'https://vega.github.io/schema/vega-lite/v5.json',
  mark: 'bar',
  encoding: {
    x: { field: 'own_orders\\.status', type: 'nominal' },
    y: { field: 'own_orders\\.count', type: 'quantitative' },
  },
};
const byStatus = { measures: ['own_orders.count'], dimensions: ['own_orders.status'] };

/** A user who sees the orders of a city. */
export interface Citizen {
  id: number;
  email: string;
}

/** A published dashboard of the shop that shows everybody other numbers: those of the city that is an attribute of theirs. */
export class CityOrders {
  private constructor(
    private readonly topology: Topology,
    private readonly database: TestDatabase,
    readonly shop: Shop,
    readonly dashboardId: number,
  ) {}

  static async open(topology: Topology): Promise<CityOrders> {
    const database = await createShopDatabase();
    const shop = await Shop.open(topology.admin, database, [ownOrders]);
    return new CityOrders(topology, database, shop, await publish(topology.admin, shop));
  }

  async close(): Promise<void> {
    await this.database.drop();
  }

  /** Makes an administrator who sees the orders of the city. */
  async citizen(city: string): Promise<Citizen> {
    const { admin, tenant, plinth } = this.topology;
    const email = `${city.toLowerCase()}-${tenant}@orders.test`;
    const words = ['--tenant', tenant, '--email', email, '--role', 'Admin'];
    const { apiKey } = await plinth('api-keys', 'create', ...words);
    const { id } = await admin.as(`Bearer ${String(apiKey)}`).call('getCurrentUser');
    const { items } = await admin.call('getUserAttributes');
    const known = items.find(({ name }) => name === 'city');
    const attribute = known ?? (await admin.call('createUserAttribute', { body: { name: 'city', type: 'string' } }));
    const value = { userId: String(id), userAttributeId: String(attribute.id), value: city };
    await admin.call('upsertUserAttributeValue', { body: value });
    return { id, email };
  }

  /** Orders that the condition holds for, as a picture shows their number. */
  async counted(where: string): Promise<string> {
    const client = new Client({ connectionString: this.database.url });
    await client.connect();
    const text = `select count(*)::integer as n from orders o join customers c on c.id = o.customer_id where ${where}`;
    const { rows } = await client.query<{ n: number }>(text);
    await client.end();
    return (rows[0]?.n ?? 0).toLocaleString('en');
  }
}

async function publish(admin: ApiClient, shop: Shop): Promise<number> {
  const { id: workbookId } = await admin.call('createWorkbook', { path: shop.path, body: { name: 'Orders' } });
  const report = async (query: object, meta: Record<string, unknown>): Promise<number> => {
    const body = { name: String(meta['kind']), workbookId, jsonQuery: JSON.stringify(query), meta };
    return (await admin.call('createReport', { path: shop.path, body })).id;
  };
  const total = await report({ measures: ['own_orders.count'] }, { kind: 'kpi' });
  const table = await report(byStatus, { kind: 'table' });
  const drawing = await report(byStatus, { kind: 'vega', spec: bar });
  const chart = (id: string, reportId: number, y: number, h = 4) => ({
    ...{ id, type: 'CHART' as const, position: { x: 0, y, w: 12, h } },
    config: { reportId },
  });
  const widgets = [chart('a', total, 0), chart('b', table, 4, 6), chart('c', drawing, 10, 8)];
  const body = { workbookId, config: { title: 'Orders of a city', widgets } };
  return (await admin.call('publishDashboard', { path: { ...shop.path, workbookId }, body })).id;
}
