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

  it('ends the wait for a worker that falls silent, not for one that leaves in order', () => {
    transport.publish('build-worker.worker.alive', { workerId: 'silent' });
    transport.publish('build-worker.worker.alive', { workerId: 'leaving' });
    const [silent, leaving] = [owners.silenceOf('silent'), owners.silenceOf('leaving')];
    transport.publish('build-worker.worker.leaving', { workerId: 'leaving' });
    now = 3_001;
    jest.advanceTimersByTime(1_000);
    expect(silent?.reason).toMatchObject({ code: 'service.deadline_exceeded' });
    expect(leaving?.aborted).toBe(false);
  });

  it('does not count the workers of another service', () => {
    transport.publish('workspace.worker.alive', { workerId: 'a' });
    expect(owners.ownerOf('1')).toBeUndefined();
  });

  it('counts a key as moved when it is found at another owner, and not while nobody owns it', () => {
    const alive = (workerId: string) => transport.publish('build-worker.worker.alive', { workerId });
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
