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
    owners = new Owners(transport, 'build-worker', { now: () => now, onMove: () => (moves += 1) });
  });

  afterEach(() => jest.useRealTimers());

  it('knows no owner before a worker was heard', () => {
    expect(owners.ownerOf('1')).toBeUndefined();
  });

  it('forgets a worker whose lease has run out', () => {
    transport.publish('build-worker.worker.alive', { workerId: 'a' });
    now = 3_000;
    expect(owners.ownerOf('1')).toBe('a');
    now = 3_001;
    expect(owners.ownerOf('1')).toBeUndefined();
  });

  const alive = (workerId: string) => transport.publish('build-worker.worker.alive', { workerId });
  const leaving = (workerId: string) => transport.publish('build-worker.worker.leaving', { workerId });

  it('ends the wait for a worker that falls silent, also for one that was leaving or has not been there', () => {
    for (const workerId of ['silent', 'leaving', 'absent']) alive(workerId);
    const waits = ['silent', 'leaving', 'absent'].map((workerId) => owners.silenceOf(workerId));
    leaving('leaving');
    owners.drop('absent');
    now = 3_001;
    jest.advanceTimersByTime(1_000);
    for (const wait of waits) expect(wait?.reason).toMatchObject({ code: 'service.deadline_exceeded' });
  });

  it('lets callers wait for a worker that leaves as long as it is heard of, though it owns nothing any more', () => {
    alive('a');
    const wait = owners.silenceOf('a');
    for (now = 1_000; now <= 10_000; now += 1_000) {
      leaving('a');
      jest.advanceTimersByTime(1_000);
    }
    expect(owners.ownerOf('1')).toBeUndefined();
    expect(wait?.aborted).toBe(false);
  });

  it('gives a worker that was not there its keys again when it is heard of', () => {
    alive('a');
    owners.drop('a');
    expect(owners.ownerOf('1')).toBeUndefined();
    alive('a');
    expect(owners.ownerOf('1')).toBe('a');
  });

  it('does not count the workers of another service', () => {
    transport.publish('workspace.worker.alive', { workerId: 'a' });
    expect(owners.ownerOf('1')).toBeUndefined();
  });

  it('counts a key as moved when it is found at another owner, and not while nobody owns it', () => {
    alive('a');
    owners.ownerOf('1');
    owners.ownerOf('1');
    owners.drop('a');
    owners.ownerOf('1');
    alive('a');
    owners.ownerOf('1');
    expect(moves).toBe(0);
    owners.drop('a');
    alive('b');
    owners.ownerOf('1');
    owners.ownerOf('2');
    expect(moves).toBe(1);
  });
});
