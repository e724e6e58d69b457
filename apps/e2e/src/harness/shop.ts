import type { BodyOf } from '@plinth/contract';
import { sampleShopModel, sampleShopSql } from '@plinth/sample-shop';
import { createDatabaseFrom, type TestDatabase, until } from '@plinth/testing';
import { Client } from 'pg';
import type { ApiClient, ApiReply } from './api-client';
import { createDeployment, openDevBranch, uniqueName } from './story';

type Files = BodyOf<'updateFiles'>['files'];

/** A database of its own with the tables of the sample shop. */
export const createShopDatabase = (): Promise<TestDatabase> => createDatabaseFrom('sample_shop', fill);

async function fill(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(await sampleShopSql());
  await client.end();
}

/** Environment variables of a deployment on that database. */
export function databaseVariables(connection: string): { name: string; value: string }[] {
  const url = new URL(connection);
  const variables = {
    CUBEJS_DB_TYPE: 'postgres',
    CUBEJS_DB_HOST: url.hostname,
    CUBEJS_DB_PORT: url.port,
    CUBEJS_DB_NAME: url.pathname.slice(1),
    CUBEJS_DB_USER: decodeURIComponent(url.username),
    CUBEJS_DB_PASS: decodeURIComponent(url.password) || 'none',
  };
  return Object.entries(variables).map(([name, value]) => ({ name, value }));
}

/** Customers, of whom everybody sees those of their own city. */
export const neighbours = {
  path: 'model/cubes/neighbours.js',
  content: `cube('neighbours', {
    sql_table: 'customers',
    dimensions: { id: { sql: 'id', type: 'number', primary_key: true }, city: { sql: 'city', type: 'string' } },
    measures: { count: { type: 'count' } },
    access_policy: [{ group: '*', row_level: { filters: [
      { member: 'city', operator: 'equals', values: [securityContext.cubeCloud.userAttributes.city] }] } }],
  });\n`,
};

/** A deployment with the sample shop's data model, whose data API is asked. */
export class Shop {
  private constructor(
    readonly admin: ApiClient,
    readonly deploymentId: number,
    readonly url: string,
  ) {}

  /** Makes the deployment and waits until production answers. */
  static async open(admin: ApiClient, database: TestDatabase, more: Files = []): Promise<Shop> {
    const { id } = await createDeployment(admin, uniqueName('Shop'));
    const { deploymentUrl } = await admin.call('getDeployment', { path: { deploymentId: id } });
    const shop = new Shop(admin, id, deploymentUrl ?? '');
    await shop.set(databaseVariables(database.url));
    await shop.edit([...(await sampleShopModel()), ...more]);
    await shop.publish();
    return shop;
  }

  get path(): { deploymentId: number } {
    return { deploymentId: this.deploymentId };
  }

  async set(variables: BodyOf<'setEnvVariables'>['env_variables']): Promise<void> {
    await this.admin.call('setEnvVariables', { path: this.path, body: { env_variables: variables } });
  }

  /** Writes to a new dev branch, and returns its name. */
  async edit(files: Files): Promise<string> {
    const branch = await openDevBranch(this.admin, this.deploymentId);
    await this.admin.call('updateFiles', { path: this.path, body: { files } });
    return branch;
  }

  /** Commits and merges what was written, which starts a build, and waits for the end of that. */
  async publish(): Promise<string> {
    const { path, admin } = this;
    await admin.call('commitChanges', { path, body: { message: 'Change the model' } });
    await admin.call('stopDevMode', { path });
    await admin.call('mergeToDefaultBranch', { path, body: { branchName: 'feature' } });
    const built = await until(
      'the build of production',
      () => admin.call('buildStatus', { path }),
      ({ status }) => status === 'built' || status === 'failed',
    );
    return built.status ?? '';
  }

  async token(by = this.admin): Promise<string> {
    return (await by.call('deploymentToken', { path: this.path })).cubeApiToken;
  }

  /** What the data API answers to a query, also at the address of a dev branch. */
  load(token: string | undefined, query: object, { branch = '', at = this.admin } = {}): Promise<ApiReply> {
    const place = branch === '' ? '' : `/dev-mode/${branch}`;
    const path = `/deployments/${this.deploymentId}${place}/cubejs-api/v1/load`;
    return at.as(token).send('POST', path, { body: { query } });
  }

  /** Value of the one measure in the only row, as soon as the engine does not ask for patience; else the reply. */
  async value(token: string, measure: string, branch = ''): Promise<unknown> {
    const ask = (): Promise<ApiReply> => this.load(token, { measures: [measure] }, { branch });
    const { status, body } = await until('an answer', ask, (reply) => !isWaiting(reply), 90_000);
    const rows = (body as { data?: Record<string, string>[] } | undefined)?.data;
    return status === 200 && rows ? rows[0]?.[measure] : { status, body };
  }
}

/** Whether the reply tells the client to ask again. */
export const isWaiting = ({ body }: ApiReply): boolean =>
  (body as { error?: string } | undefined)?.error === 'Continue wait';
