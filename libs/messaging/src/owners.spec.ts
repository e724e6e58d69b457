import { Owners } from './owners';

type NoticeHandler = (payload: Record<string, unknown>) => void;

const notices = () => {
  const handlers = new Map<string, NoticeHandler>();
  return {
    subscribe: (topic: string, handler: NoticeHandler) => {
      handlers.set(topic, handler);
      return () => void handlers.delete(topic);
    },
    publish: (topic: string, payload: Record<string, unknown>) => handlers.get(topic)?.(payload),
  };
};

describe(Owners.name, () => {
  let now: number;
  let moves: number;
  let transport: ReturnType<typeof notices>;
  let owners: Owners;

  beforeEach(() => {
    jest.useFakeTimers();
    now = 0;
    moves = 0;
    transport = notices();
    owners = new Owners(transport, { now: () => now, onMove: () => (moves += 1) });
  });

  afterEach(() => {
    owners.close();
    jest.useRealTimers();
  });

  /** Lets time pass for a caller that runs. */
  const run = (milliseconds: number): void => {
    for (const end = now + milliseconds; now < end;) {
      now += 1;
      jest.advanceTimersByTime(1);
    }
  };

  it('tells once of a worker that is gone, how, and of none that speaks', () => {
    const gone: string[][] = [];
    const listener = new Owners(transport, { now: () => now, onGone: (...each) => gone.push(each) });
    const say = (what: string, workerId: string): void => transport.publish(`runtime.worker.${what}`, { workerId });
    for (const worker of ['a', 'b', 'c']) say('alive', worker);
    say('leaving', 'b');
    run(2_000);
    say('leaving', 'b');
    say('alive', 'c');
    run(2_500);
    expect(gone).toEqual([
      ['runtime', 'b', 'leaving'],
      ['runtime', 'a', 'silent'],
    ]);
    expect([listener.isFresh('runtime', 'c'), listener.isFresh('runtime', 'a')]).toEqual([false, false]);
    say('alive', 'c');
    expect(listener.isFresh('runtime', 'c')).toBe(true);
    listener.close();
  });

  it('knows no owner before a worker was heard', () => {
    expect(owners.ownerOf('build-worker', '1')).toBeUndefined();
  });

  it('forgets a worker whose lease has run out', () => {
    transport.publish('build-worker.worker.alive', { workerId: 'a' });
    run(3_000);
    expect(owners.ownerOf('build-worker', '1')).toBe('a');
    run(1);
    expect(owners.ownerOf('build-worker', '1')).toBeUndefined();
  });

  it('takes no worker for dead because it stood still itself, and one that is dead soon after', () => {
    transport.publish('build-worker.worker.alive', { workerId: 'a' });
    run(1_000);
    const wait = owners.silenceOf('build-worker', 'a');
    now += 60_000;
    jest.advanceTimersByTime(500);
    expect([owners.ownerOf('build-worker', '1'), wait?.aborted]).toEqual(['a', false]);
    run(3_000);
    expect([owners.ownerOf('build-worker', '1'), wait?.aborted]).toEqual([undefined, true]);
  });

  const alive = (workerId: string) => transport.publish('build-worker.worker.alive', { workerId });
  const leaving = (workerId: string) => transport.publish('build-worker.worker.leaving', { workerId });

  it('ends the wait for a worker that falls silent, also for one that was leaving or has not been there', () => {
    for (const workerId of ['silent', 'leaving', 'absent']) alive(workerId);
    const waits = ['silent', 'leaving', 'absent'].map((workerId) => owners.silenceOf('build-worker', workerId));
    leaving('leaving');
    owners.drop('build-worker', 'absent');
    run(4_000);
    for (const wait of waits) expect(wait?.reason).toMatchObject({ code: 'service.deadline_exceeded' });
  });

  it('lets callers wait for a worker that leaves as long as it is heard of, though it owns nothing any more', () => {
    alive('a');
    const wait = owners.silenceOf('build-worker', 'a');
    for (let second = 0; second < 10; second++) {
      leaving('a');
      run(1_000);
    }
    expect(owners.ownerOf('build-worker', '1')).toBeUndefined();
    expect(wait?.aborted).toBe(false);
  });

  it('gives a worker that was not there its keys again when it is heard of', () => {
    alive('a');
    owners.drop('build-worker', 'a');
    expect(owners.ownerOf('build-worker', '1')).toBeUndefined();
    alive('a');
    expect(owners.ownerOf('build-worker', '1')).toBe('a');
  });

  it('does not count the workers of another service', () => {
    for (const service of ['workspace', 'runtime'])
      transport.publish(`${service}.worker.alive`, { workerId: `${service}-1` });
    expect(owners.ownerOf('build-worker', '1')).toBeUndefined();
    expect(owners.ownerOf('runtime', '1')).toBe('runtime-1');
    expect(owners.ownerOf('workspace', '1')).toBeUndefined();
  });

  it('knows which services have owners', () => {
    expect(['build-worker', 'runtime', 'workspace'].filter((service) => owners.isOwned(service))).toEqual([
      'build-worker',
      'runtime',
    ]);
  });

  it('counts no move when the owners of two services differ', () => {
    alive('a');
    transport.publish('runtime.worker.alive', { workerId: 'b' });
    owners.ownerOf('build-worker', '1');
    owners.ownerOf('runtime', '1');
    owners.ownerOf('build-worker', '1');
    expect(moves).toBe(0);
  });

  it('counts a key as moved when it is found at another owner, and not while nobody owns it', () => {
    alive('a');
    owners.ownerOf('build-worker', '1');
    owners.ownerOf('build-worker', '1');
    owners.drop('build-worker', 'a');
    owners.ownerOf('build-worker', '1');
    alive('a');
    owners.ownerOf('build-worker', '1');
    expect(moves).toBe(0);
    owners.drop('build-worker', 'a');
    alive('b');
    owners.ownerOf('build-worker', '1');
    owners.ownerOf('build-worker', '2');
    expect(moves).toBe(1);
  });
});
