// The sample shop: its database, and deployments on it.
import pg from 'pg';
import { createDeployment, openDevBranch, send } from './client.mjs';
import { dist } from './processes.mjs';

const LOOK_EVERY_MS = 100;

/** One more database on the server of the given one; resolves with its address. */
export async function createDatabase(databaseUrl, name) {
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  await query(databaseUrl, `create database ${name}`);
  return url.href;
}

/** A database with the tables of the sample shop. */
export async function createShop(databaseUrl) {
  const { sampleShopSql } = dist('libs/sample-shop/src');
  const url = await createDatabase(databaseUrl, 'bench_shop');
  await query(url, await sampleShopSql());
  return url;
}

async function query(connectionString, text) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(text);
  await client.end();
}

/** Environment variables of a deployment on that database. */
export function databaseVariables(connection) {
  const url = new URL(connection);
  return Object.entries({
    CUBEJS_DB_TYPE: 'postgres',
    CUBEJS_DB_HOST: url.searchParams.get('host') ?? url.hostname,
    CUBEJS_DB_PORT: url.port || '5432',
    CUBEJS_DB_NAME: url.pathname.slice(1),
    CUBEJS_DB_USER: decodeURIComponent(url.username),
    CUBEJS_DB_PASS: decodeURIComponent(url.password) || 'none',
  }).map(([name, value]) => ({ name, value }));
}

/** A deployment whose production is built; resolves with the path of its data API and a token. */
export async function openShop(url, shop, model) {
  const { id } = await createDeployment(url);
  const api = `/build/api/v1/deployments/${id}`;
  await send(url, 'PUT', `/api/v1/deployments/${id}/env-vars`, { env_variables: databaseVariables(shop) });
  await openDevBranch(url, id);
  await send(url, 'PUT', `${api}/data-model/files`, { files: model });
  await send(url, 'POST', `${api}/commit`, { message: 'The sample shop' });
  await send(url, 'POST', `${api}/merge-to-default`, { branchName: 'bench' });
  await until(async () => (await send(url, 'GET', `/api/v1/deployments/${id}/build-status`)).status === 'built');
  const { cubeApiToken } = await send(url, 'POST', `/api/v1/deployments/${id}/token`, {});
  return { path: `/deployments/${id}`, token: cubeApiToken };
}

/** Resolves when the data API has answered a query of the sample shop. */
export const awake = (address, token) => firstAnswer(address, token, { measures: ['orders.count'] });

/** Resolves when the data API has answered the query. */
export const firstAnswer = (address, token, query) =>
  until(async () => {
    const url = `${address}/cubejs-api/v1/load?query=${encodeURIComponent(JSON.stringify(query))}`;
    const response = await fetch(url, { headers: { authorization: token } });
    const body = await response.json();
    if (response.status !== 200 && response.status !== 503) throw new Error(JSON.stringify(body));
    return body.data !== undefined;
  });

async function until(holds) {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
}
