import { Client } from 'pg';
import { runChild, type EndedChild } from '../run-child';
import { until } from '../until';

/**
 * Runs a program that may die with connections to a database, as {@link runChild} does, and waits until PostgreSQL has noticed
 * the end of these, and with it of their locks: who comes after it in the same process would otherwise come too early.
 */
export async function runDoomed(program: string, order: { url: string }): Promise<EndedChild> {
  const observer = new Client({ connectionString: order.url });
  await observer.connect();
  const connections = async (): Promise<number> =>
    (await observer.query('select from pg_stat_activity where datname = current_database()')).rowCount ?? 0;
  try {
    const before = await connections();
    const ended = await runChild(program, order);
    await until('the end of its connections', connections, (count) => count <= before);
    return ended;
  } finally {
    await observer.end();
  }
}
