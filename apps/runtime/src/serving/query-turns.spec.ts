import { QueryTurns } from './query-turns';

const [TENANT, OTHER_TENANT] = [1, 2];
const patient = () => new AbortController().signal;
const turnOf = (deploymentId: number, caller = 'somebody', tenantId = TENANT) => ({ tenantId, deploymentId, caller });
/** Lets everything that can be decided be decided. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('turns of queries', () => {
  let turns: QueryTurns;
  let inside: string[];
  let leaves: (() => void)[];
  beforeEach(() => {
    turns = new QueryTurns({ engineRequests: 2 });
    [inside, leaves] = [[], []];
  });

  const enter = (turn: ReturnType<typeof turnOf>, signal = patient()): Promise<unknown> =>
    turns.enter(turn, signal).then(
      (leave) => {
        inside.push(`${turn.deploymentId} ${turn.caller}`);
        leaves.push(leave);
      },
      (error: unknown) => error,
    );
  const enterMany = (count: number, turn: ReturnType<typeof turnOf>) => {
    for (let index = 0; index < count; index++) void enter(turn);
  };
  /** The one that has been inside for longest leaves. */
  const leave = async (): Promise<void> => {
    leaves.shift()?.();
    await settled();
  };

  it('refuse the query of a caller of whom too many wait, and no other', async () => {
    enterMany(2 + 256, turnOf(1, 'much'));
    expect(await enter(turnOf(1, 'much'))).toMatchObject({ code: 'request.rate_limited', retryAfterSeconds: 1 });
    void enter(turnOf(1, 'little'));
    await settled();
    await leave();
    await leave();
    expect(inside).toContain('1 little');
  });

  it('keep no place for who leaves the line', async () => {
    enterMany(2, turnOf(1));
    const leaving = new AbortController();
    const left = enter(turnOf(1, 'leaving'), leaving.signal);
    leaving.abort(new Error('left'));
    expect(await left).toMatchObject({ message: 'left' });
    void enter(turnOf(1, 'next'));
    await settled();
    await leave();
    expect(inside).toEqual(['1 somebody', '1 somebody', '1 next']);
  });

  it('are so many for one deployment at a time, and its callers take them one after the other', async () => {
    enterMany(6, turnOf(1, 'much'));
    void enter(turnOf(1, 'little'));
    await settled();
    expect(inside).toEqual(['1 much', '1 much']);
    await leave();
    await leave();
    expect(inside.slice(2).sort()).toEqual(['1 little', '1 much']);
  });

  it('are twice as many for one tenant, whose deployments take them one after the other', async () => {
    for (const deployment of [1, 2, 3]) enterMany(4, turnOf(deployment));
    await settled();
    expect(inside).toHaveLength(4);
    enterMany(1, turnOf(4));
    await settled();
    await leave();
    await leave();
    expect(new Set(inside.slice(4))).toEqual(new Set(['3 somebody', '4 somebody']));
  });

  it('of one tenant take none from another', async () => {
    for (const deployment of [1, 2, 3]) enterMany(4, turnOf(deployment));
    await settled();
    await enter(turnOf(9, 'stranger', OTHER_TENANT));
    expect(inside).toContain('9 stranger');
  });
});
