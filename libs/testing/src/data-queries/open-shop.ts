import { type CubeApi } from '@cubejs-client/core';
import { ShopDatabase } from './shop-database';

/** Where the sample shop is served, and the database that holds it. */
export interface ServedShop {
  /** Up to and with `/cubejs-api/v1`. */
  apiUrl: string;
  /** A credential that may read data. */
  token: string;
  /** Connection string of a role that may lock its tables. */
  database: string;
  /** Names of the cubes that it has beside those of the sample shop. */
  moreCubes?: readonly string[];
}

export interface OpenShop {
  api: CubeApi;
  database: ShopDatabase;
  moreCubes: readonly string[];
  /** Posts a body to a path of the data API. */
  ask(path: string, body: object): Promise<Response>;
}

export async function openShop({ apiUrl, token, database, moreCubes = [] }: ServedShop): Promise<OpenShop> {
  // Loaded where it is used: every suite imports this library, and few talk to a data API.
  const { default: cube } = await import('@cubejs-client/core');
  return {
    api: cube(token, { apiUrl }),
    database: await ShopDatabase.connect(database),
    moreCubes,
    ask: (path, body) =>
      fetch(`${apiUrl}/${path}`, {
        method: 'POST',
        headers: { authorization: token, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
  };
}
