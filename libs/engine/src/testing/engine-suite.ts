import { createEmptyDatabase, type TestDatabase, until } from '@plinth/testing';
import { Client } from 'pg';
import { type EngineSettings, EngineUnderTest } from './engine-under-test';

/** What the tests of a file share: a database of its own, and engines on it that end with the file. */
export class EngineSuite {
  private readonly engines: EngineUnderTest[] = [];

  private constructor(
    private readonly database: TestDatabase,
    readonly admin: Client,
    private readonly model: EngineSettings['model'],
  ) {}

  /** @param sql is run in the empty database */
  static async open(model: EngineSettings['model'], sql = ''): Promise<EngineSuite> {
    const database = await createEmptyDatabase();
    const admin = new Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(sql);
    return new EngineSuite(database, admin, model);
  }

  /** Connection string of the database. */
  get url(): string {
    return this.database.url;
  }

  async start(settings: Partial<EngineSettings> = {}): Promise<EngineUnderTest> {
    const engine = await EngineUnderTest.start({ model: this.model, database: this.database.url, ...settings });
    this.engines.push(engine);
    return engine;
  }

  /** Until so many statements that have the text in them are at work for the engines. */
  async runs(text: string, wanted: number): Promise<void> {
    const asked = () => this.running(text);
    await until(`${wanted} at work: ${text}`, asked, (found) => found === wanted);
  }

  async running(text: string): Promise<number> {
    const { rows } = await this.admin.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
        where state = 'active' and query like $1 and pid <> pg_backend_pid() and datname = current_database()`,
      [`%${text}%`],
    );
    return rows[0]?.count ?? 0;
  }

  async close(): Promise<void> {
    for (const engine of this.engines) await engine.stop();
    await this.admin.end();
    await this.database.drop();
  }
}
