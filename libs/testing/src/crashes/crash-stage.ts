import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceName } from '@plinth/contract';
import { Database, SecretBox } from '@plinth/database';
import { notesSchemaOf } from '../notes';
import { runDoomed } from './run-doomed';
import { createTestDatabase, type ServiceDatabase } from '../service-database';
import { performCrashOrder, type CrashAct, type CrashOrder, type CrashReply } from './crash-order';

/** A database with notes and a file, new for each test, and a program that may die while it writes to them. */
export class CrashStage {
  private readonly encryptionKey = randomBytes(32).toString('base64');
  private folder = '';
  private server: ServiceDatabase | undefined;

  /**
   * @param program file that calls `obeyCrashOrder`
   * @param act what it does
   */
  constructor(
    private readonly service: ServiceName,
    private readonly program: string,
    private readonly act: CrashAct,
  ) {
    beforeEach(async () => {
      this.folder = mkdtempSync(join(tmpdir(), 'plinth-crash-'));
      this.server = await createTestDatabase(notesSchemaOf(service));
    });
    afterEach(async () => {
      await this.server?.drop();
      rmSync(this.folder, { recursive: true });
    });
  }

  /** The file in which the program leaves lines. */
  get file(): string {
    return join(this.folder, 'lines');
  }

  lines(): string[] {
    return existsSync(this.file) ? readFileSync(this.file, 'utf8').split('\n').filter(Boolean) : [];
  }

  /**
   * Runs the program in a process of its own and returns undefined when it died at the failpoint; without one does here what
   * it does.
   */
  async run(failpoint: string | null, { action = '', key = 'k-1' } = {}): Promise<CrashReply | undefined> {
    const { service, encryptionKey, file } = this;
    const order: CrashOrder = { failpoint, service, url: this.database().url, encryptionKey, action, key, file };
    if (failpoint === null) return performCrashOrder(this.act, order);
    const { killed, output } = await runDoomed(this.program, order);
    return killed ? undefined : (JSON.parse(output) as CrashReply);
  }

  query<Row>(text: string): Promise<Row[]> {
    return this.database().database.readAsSystem<Row>({ name: '', text });
  }

  async countOf(table: string): Promise<number> {
    return (await this.query(`select from ${table}`)).length;
  }

  /** Another process's view of the database, with the program's keys. The caller closes it. */
  open(): Promise<Database> {
    const secrets = new SecretBox([this.encryptionKey]);
    return Database.open({ ...notesSchemaOf(this.service), url: this.database().url, secrets, migrate: 'none' });
  }

  private database(): ServiceDatabase {
    if (!this.server) throw new Error('No test runs');
    return this.server;
  }
}
