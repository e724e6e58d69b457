import type { Bus } from '../bus';
import { callTo, OWNED, serve, until, type BusNetwork } from './conformance-kit';

/** What every transport must guarantee for operations that go to the owner of a deployment. */
export function describeOwnerConformance(network: () => BusNetwork): void {
  describe.each(['build-worker', 'runtime'] as const)('owners in %s', (service) => {
    let caller: Bus;

    beforeEach(async () => {
      caller = await network().connect('gateway');
    });

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

    it('are passed over without a failed call when one is gone though its lease still runs', async () => {
      const worker = await startWorker('a');
      await until(async () => (await ownersSeen()).every((owner) => owner === 'a'), 'the worker is known');
      worker.publish({ topic: `${service}.worker.alive`, payload: { workerId: 'ghost' } });
      expect(new Set(await ownersSeen())).toEqual(new Set(['a']));
    });
  });
}
