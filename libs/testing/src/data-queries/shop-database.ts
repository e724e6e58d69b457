import { Client, types } from 'pg';
import { comparableRows } from './comparable';

const TIMESTAMP = 1114;
const asUtc = (text: string): Date => new Date(`${text.replace(' ', 'T')}Z`);

/** The shop's database, asked by hand-written SQL. */
export class ShopDatabase {
  private constructor(private readonly client: Client) {}

  static async connect(url: string): Promise<ShopDatabase> {
    const client = new Client({
      connectionString: url,
      types: { getTypeParser: (id, format) => (id === TIMESTAMP ? asUtc : types.getTypeParser(id, format)) },
    });
    await client.connect();
    await client.query(`set timezone to 'UTC'`);
    return new ShopDatabase(client);
  }

  async rows(sql: string): Promise<(string | null)[][]> {
    const { rows } = await this.client.query<unknown[]>({ text: sql, rowMode: 'array' });
    return comparableRows(rows);
  }

  /** Nobody reads the table until what is returned is called. */
  async lock(table: string): Promise<() => Promise<void>> {
    await this.client.query(`begin; lock table ${table}`);
    return async () => void (await this.client.query('commit'));
  }

  close(): Promise<void> {
    return this.client.end();
  }
}
