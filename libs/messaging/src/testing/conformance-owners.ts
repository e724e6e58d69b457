import type { Bus } from '../bus';
import { callTo, OWNED, serve, until, uploadOf, type AnyHandler, type BusNetwork } from './conformance-kit';

/** Time passes for this process, and none of its timers runs. */
function standStill(milliseconds: number): void {
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + milliseconds);
}

/** What every transport must guarantee for operations that go to the owner of a deployment. */
export function describeOwnerConformance(network: () => BusNetwork): void {
  describe.each(['build-worker', 'runtime'] as const)('owners in %s', (service) => {
    let caller: Bus;

    beforeEach(async () => {
      caller = await network().connect('gateway');
    });

    afterEach(() => jest.restoreAllMocks());

    const deployments = Array.from({ length: 30 }, (_, index) => index + 1);
    const ownersSeen = (): Promise<string[]> =>
      Promise.all(deployments.map((id) => caller.call(OWNED[service], callTo(id)) as unknown as Promise<string>));
    const startWorker = async (workerId: string): Promise<Bus> => {
      const worker = await network().connect(service);
      await serve(worker, OWNED[service], async () => workerId, { workerId });
      return worker;
    };
    const bothSeen = async (): Promise<boolean> => new Set(await ownersSeen()).size === 2;

    it('get every call on their deployments, and a joining worker takes only what becomes its own', async () => {
      await startWorker('a');
      await startWorker('b');
      await until(async () => {
        const [first, second] = [await ownersSeen(), await ownersSeen()];
        return new Set(first).size === 2 && first.join() === second.join();
      }, 'calls on one deployment go to one worker');
      const before = await ownersSeen();
      await startWorker('c');
      await until(async () => (await ownersSeen()).includes('c'), 'the third worker owns something');
      const after = await ownersSeen();
      expect(after.every((owner, index) => owner === before[index] || owner === 'c')).toBe(true);
    });

    it('hand over without a failed call when one leaves', async () => {
      await startWorker('a');
      const leaving = await startWorker('b');
      await until(bothSeen, 'both workers own something');
      const closing = leaving.close();
      while ((await ownersSeen()).includes('b'));
      await closing;
      expect(new Set(await ownersSeen())).toEqual(new Set(['a']));
    });

    it('that stood still take a call as soon as they have caught up, once and whole, and nobody sees a failure', async () => {
      const taken: string[] = [];
      const worker = await network().connect(service);
      const handler: AnyHandler = async (call) => {
        for await (const chunk of uploadOf(call)) taken.push(Buffer.from(chunk).toString());
        return 'taken';
      };
      await serve(worker, OWNED[service], handler, { workerId: 'a' });
      const upload = (async function* () {
        yield Buffer.from('an upload');
      })();
      standStill(60_000);
      await expect(caller.call(OWNED[service], callTo(1, { upload }))).resolves.toBe('taken');
      expect(taken.join('')).toBe('an upload');
    });

    it('are passed over without a failed call when one is gone though its lease still runs', async () => {
      const worker = await startWorker('a');
      await until(async () => (await ownersSeen()).every((owner) => owner === 'a'), 'the worker is known');
      worker.publish({ topic: `${service}.worker.alive`, payload: { workerId: 'ghost' } });
      expect(new Set(await ownersSeen())).toEqual(new Set(['a']));
    });
  });
}
