import type { Database, Transaction } from '@plinth/database';
import { createLogger } from '@plinth/observability';
import { createTestDatabase, until, type ServiceDatabase } from '@plinth/testing';
import { runtimeSchema } from '../runtime.schema';
import type { EngineLine } from './engine-line';
import { EngineLog } from './engine-log';
import { EngineLogRepository, KEPT_BYTES, type NewLogLine } from './engine-log.repository';

const TENANT = 1;
const repository = new EngineLogRepository();
const logger = createLogger('runtime', 'silent');

const lineOf = (message: string, more: Partial<NewLogLine> = {}): NewLogLine => ({
  tenantId: TENANT,
  deploymentId: 1,
  environmentId: 1,
  pod: 'pod',
  container: 'cubejs-server',
  message,
  loggedAt: new Date(),
  ...more,
});
const said = (message: string): EngineLine => ({
  place: { tenantId: TENANT, deploymentId: 1, environmentId: 1 },
  pod: 'pod',
  container: 'cubejs-server',
  message,
});

describe('logs of engines', () => {
  let service: ServiceDatabase;
  let database: Database;

  beforeEach(async () => {
    service = await createTestDatabase(runtimeSchema);
    ({ database } = service);
  });
  afterEach(() => service.drop());

  const insert = (...lines: NewLogLine[]) => database.asSystem((tx) => repository.insert(tx, lines));
  const filter = { environmentIds: [1], pod: undefined, container: undefined };
  const list = (tenantId = TENANT, limit = 10_000, after?: number) =>
    repository.list(database, tenantId, filter, limit, after);
  const messages = async (tenantId?: number) => (await list(tenantId)).map(({ message }) => message);

  it("are nobody else's, whichever environment he names", async () => {
    await insert(lineOf('theirs'), lineOf('of another', { tenantId: 2 }));
    expect(await messages(2)).toEqual(['of another']);
    expect(await messages(3)).toEqual([]);
  });

  it('are not shown after a day, whether they are deleted yet or not', async () => {
    await insert(lineOf('old', { loggedAt: new Date(Date.now() - 86_401_000) }), lineOf('young'));
    expect(await messages()).toEqual(['young']);
  });

  it('lose their oldest lines beyond what is kept, and those of other environments stay', async () => {
    const lines = Array.from({ length: 12 }, (_none, index) => lineOf(`${index} ${'x'.repeat(KEPT_BYTES / 10)}`));
    await insert(lineOf('of another', { environmentId: 2 }), ...lines);
    await database.asSystem((tx) => repository.trim(tx, 1));
    const left = await messages();
    expect(left.map((message) => message.split(' ')[0])).toEqual(['3', '4', '5', '6', '7', '8', '9', '10', '11']);
    const other = await repository.list(database, TENANT, { ...filter, environmentIds: [2] }, 10);
    expect(other).toHaveLength(1);
  });

  it('come oldest first, from a position on', async () => {
    await insert(...['a', 'b', 'c'].map((message) => lineOf(message)));
    const [first] = await list(TENANT, 1);
    expect(first?.message).toBe('a');
    expect((await list(TENANT, 10, first?.id)).map(({ message }) => message)).toEqual(['b', 'c']);
  });

  it('are written in order, many at once, and the last ones when the runtime stops', async () => {
    const log = new EngineLog(database, repository, logger);
    log.onApplicationBootstrap();
    const wanted = Array.from({ length: 1_200 }, (_none, index) => String(index));
    for (const message of wanted) log.add(said(message));
    await until('all lines', messages, (all) => all.length === wanted.length);
    log.add(said('last'));
    await log.onApplicationShutdown();
    expect(await messages()).toEqual([...wanted, 'last']);
  });

  it('are bounded while they are written', async () => {
    const log = new EngineLog(database, repository, logger);
    for (let index = 0; index < 12; index++) log.add(said(`${index} ${'x'.repeat(KEPT_BYTES / 10)}`));
    await log.onApplicationShutdown();
    expect((await messages()).map((message) => message.split(' ')[0])).toEqual([
      '3',
      '4',
      '5',
      '6',
      '7',
      '8',
      '9',
      '10',
      '11',
    ]);
  });

  it('wait while the database is away, up to a number, and are written then', async () => {
    let isAway = true;
    const away = {
      asSystem: (work: (tx: Transaction) => Promise<unknown>) =>
        isAway ? Promise.reject(new Error('away')) : database.asSystem(work),
    } as unknown as Database;
    const log = new EngineLog(away, repository, logger);
    log.onApplicationBootstrap();
    for (let index = 0; index < 10_500; index++) log.add(said('x'));
    await log.onApplicationShutdown();
    isAway = false;
    await log.onApplicationShutdown();
    expect(await messages()).toHaveLength(10_000);
  });
});
