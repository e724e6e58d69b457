import { createHash } from 'node:crypto';
import { Sandbox, type SandboxedProcess } from '@plinth/sandbox';
import { type HostedSettings, withHostedModel } from '../testing/hosted-model';
import { ModelGone } from './model-child';
import type { ModelHost } from './model-host';

const query = (asked: object) => ({
  measures: [],
  dimensions: [],
  timeDimensions: [],
  filters: [],
  timezone: 'UTC',
  ...asked,
});
const anybody = { securityContext: {} };
const sqlOf = async (host: ModelHost, asked: object) =>
  (await host.call('getSql', query(asked), {})) as { sql: [string, unknown[]] };

describe('what a build has made of a model', () => {
  const content = 'cubes:\n  - { name: plain, sql: SELECT 1 AS a, measures: [{ name: count, type: count }] }\n';
  const hash = createHash('md5').update(content).digest('hex');
  const servedBy = (code: string) =>
    withHostedModel({ model: { 'plain.yml': content }, transpiled: [[hash, code]] }, async (host, { transpiled }) => ({
      sql: (await sqlOf(host, { measures: ['plain.count'] })).sql[0],
      again: transpiled.map(([file]) => file),
    }));

  it.each([
    ['that is no code', 'cube('],
    ['that throws', 'throw new Error(`no`)'],
    ['that is of a broken model', 'cube(`plain`, { nonsense: 1 })'],
  ])('costs time and nothing else when it is something %s', async (_what, code) => {
    expect(await servedBy(code)).toEqual({ sql: expect.stringContaining('SELECT 1 AS a'), again: [hash] });
  });

  it('is used as it is', async () => {
    const sound = 'cube(`plain`, { sql: `SELECT 2 AS other`, measures: { count: { type: `count` } } });';
    expect(await servedBy(sound)).toEqual({ sql: expect.stringContaining('SELECT 2 AS other'), again: [] });
  });
});

describe('a model that a build has found sound', () => {
  const files = {
    'a.yml': `cubes:
  - name: a
    sql: SELECT 1 AS id, 'x' AS b
    joins: [{ name: c, sql: '{CUBE}.id = {c.id}', relationship: many_to_one }]
    dimensions: [{ name: id, sql: id, type: number, primary_key: true }, { name: b, sql: b, type: string }]
    measures: [{ name: count, type: count }]
    access_policy: [{ group: '*', member_level: { excludes: [b] } }]
  - name: c
    sql: SELECT 1 AS id
    dimensions: [{ name: id, sql: id, type: number, primary_key: true }]
views:
  - name: v
    cubes: [{ join_path: a, includes: '*' }, { join_path: a.c, includes: '*', prefix: true }]
`,
  };
  const unsound = `cube('wrong', { sql: \`SELECT 1 AS a\`, nonsense: 1, measures: { count: { type: 'count' } } });\n`;
  const described = (settings: HostedSettings) =>
    withHostedModel(settings, async (host, { features }) => {
      const hidden = query({ dimensions: ['a.b'] });
      return {
        features,
        meta: await host.call('metaConfig', anybody, {}),
        sql: await sqlOf(host, { measures: ['v.count'], dimensions: ['v.c_id'] }),
        secured: await host.call('applyRowLevelSecurity', hidden, hidden, anybody),
      };
    });
  const outcomeOf = (settings: HostedSettings) =>
    withHostedModel(settings, () => 'ready').catch(({ name }: Error) => name);

  it('is served as one that is checked', async () => {
    const checked = await described({ model: files, checked: true });
    expect(checked).toEqual(await described({ model: files }));
    expect(checked).toMatchObject({ features: { policies: true }, secured: { denied: true } });
    expect(checked.sql.sql[0]).toContain('LEFT JOIN');
  });

  it('is checked for all that where it depends on who asks, and not otherwise', async () => {
    expect(await outcomeOf({ model: { 'a.js': unsound }, checked: true })).toBe('ready');
    const personal = { 'a.js': `${unsound}// COMPILE_CONTEXT` };
    expect(await outcomeOf({ model: personal, checked: true })).toBe('ModelRejected');
  });
});

describe('settings of the compiler', () => {
  const files = {
    'events.yml': `cubes:
  - name: events
    sql: SELECT 1 AS id, now() AS at
    dimensions: [{ name: id, sql: id, type: number, primary_key: true }, { name: at, sql: at, type: time }]
`,
  };
  const rows = { dimensions: ['events.at'], timezone: 'Asia/Tokyo', ungrouped: true };
  const sqlUnder = (variables: Record<string, string>) =>
    withHostedModel({ model: files, variables }, async (host) => (await sqlOf(host, rows)).sql[0]);

  it('are the published ones: times are in the zone of the query, and rows need not have their key', async () => {
    expect(await sqlUnder({})).toMatch(/AT TIME ZONE 'Asia\/Tokyo'/);
  });

  it('follow the variables of a deployment', async () => {
    const refused = sqlUnder({ CUBEJS_ALLOW_UNGROUPED_WITHOUT_PRIMARY_KEY: 'false' });
    await expect(refused).rejects.toThrow(/requires primary keys/);
    const noPushDown = { CUBESQL_SQL_PUSH_DOWN: 'false', CUBEJS_ALLOW_UNGROUPED_WITHOUT_PRIMARY_KEY: 'true' };
    expect(await sqlUnder(noPushDown)).not.toMatch(/AT TIME ZONE/);
  });
});

describe('a model process that is killed', () => {
  const model = { 'a.js': `cube('a', { sql: \`SELECT 1\`, measures: { count: { type: 'count' } } });` };
  const answer = (host: ModelHost) => sqlOf(host, { measures: ['a.count'] }).then(({ sql }) => sql[0]);
  afterEach(() => jest.restoreAllMocks());

  /** So many processes are killed right after they are asked something. */
  function killTheAsked(count: number): void {
    const start = Sandbox.prototype.start;
    let left = count;
    jest.spyOn(Sandbox.prototype, 'start').mockImplementation(function (this: Sandbox, program) {
      const child = start.call(this, program);
      const write = child.stdin.write.bind(child.stdin);
      jest.spyOn(child.stdin, 'write').mockImplementation((chunk) => {
        const isTaken = write(chunk);
        if (String(chunk).includes('getSql') && left-- > 0) child.kill();
        return isTaken;
      });
      return child;
    });
  }

  it('fails no question: the next process is asked again', async () => {
    killTheAsked(1);
    expect(await withHostedModel({ model }, answer)).toContain('count(*)');
  });

  it('fails a question under which the next one is killed, too', async () => {
    killTheAsked(2);
    await withHostedModel({ model }, async (host) => {
      await expect(answer(host)).rejects.toThrow(ModelGone);
      expect(await answer(host)).toContain('count(*)');
    });
  });

  it('is not replaced once nobody wants the model any more', async () => {
    const starts = jest.spyOn(Sandbox.prototype, 'start');
    let told = (): void => undefined;
    const hasEnded = new Promise<void>((resolve) => (told = resolve));
    await withHostedModel({ model, onReplaced: () => told() }, () => {
      (starts.mock.results[0]?.value as SandboxedProcess).kill();
      return hasEnded;
    });
    expect(starts).toHaveBeenCalledTimes(1);
  });

  it('while it waits for its model is replaced, and the model is served', async () => {
    const starts = jest.spyOn(Sandbox.prototype, 'start');
    const whileWaiting = async () => {
      const waiting = starts.mock.results[0]?.value as SandboxedProcess;
      waiting.kill();
      await waiting.exited;
    };
    expect(await withHostedModel({ model, whileWaiting }, answer)).toContain('count(*)');
    expect(starts).toHaveBeenCalledTimes(2);
  });
});
