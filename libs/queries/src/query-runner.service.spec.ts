import { Readable } from 'node:stream';
import { systemPrincipal } from '@plinth/auth';
import type { Bus } from '@plinth/messaging';
import type { QueryCaller } from './query-caller';
import { QueryRunner } from './query-runner.service';

const caller: QueryCaller = {
  principal: systemPrincipal(1),
  deploymentId: 2,
  environment: { environmentId: 3, branchName: 'main', type: 'production' } as QueryCaller['environment'],
  securityContext: {},
  isDownloadRestricted: false,
  isPythonEnabled: true,
  timeZone: null,
};

/** An engine behind a bus that gives one answer after the other, and the last one for ever. */
function engine(answers: object[], eachTakesMs = 0) {
  const asked: { body: { query: unknown } }[] = [];
  const callForStream = (_operation: string, { body }: { body: { body: { query: unknown } } }) => {
    asked.push(body);
    jest.advanceTimersByTime(eachTakesMs);
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    return Promise.resolve({
      headers: { status: '200' },
      stream: Readable.from([Buffer.from(JSON.stringify(answer))]),
    });
  };
  return { asked, runner: new QueryRunner({ callForStream } as unknown as Bus) };
}

const waiting = { error: 'Continue wait' };
const result = { results: [{ query: {}, data: [{ 'orders.count': 1 }], annotation: {} }] };

describe('running a query', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
  afterEach(() => jest.useRealTimers());

  it('ends after 50 seconds for an engine that only ever asks to wait', async () => {
    const { runner, asked } = engine([waiting], 10_000);
    await expect(runner.load(caller, {})).rejects.toMatchObject({ code: 'service.deadline_exceeded', status: 504 });
    expect(asked).toHaveLength(5);
  });

  it('asks again until the engine has the rows', async () => {
    const { runner, asked } = engine([waiting, waiting, result]);
    expect((await runner.load(caller, {})).rows).toEqual([{ 'orders.count': 1 }]);
    expect(asked).toHaveLength(3);
  });

  it('asks for at most 50,000 rows unless the query says how many', async () => {
    const { runner, asked } = engine([result]);
    await runner.load(caller, [{ limit: 5 }, {}]);
    expect(asked[0]?.body.query).toEqual([{ limit: 5 }, { limit: 50_000 }]);
  });
});
