import { boundMs, startScriptedModel, until, type ScriptedModel } from '@plinth/testing';
import { answerIn, linesOf, type ChatClient, type ChatLine } from './harness/chat-client';
import { automaticAgent, scriptedProviders, useModel } from './harness/chat-shop';
import type { ChildService } from './harness/child-service';
import {
  startSecondGateway,
  startSeparateServices,
  startService,
  type SeparateServices,
} from './harness/separate-services';
import { createDeployment } from './harness/story';

/** How long an answer counts as under way without a sign of life, and some room. */
const LEASE_MS = 20_000;

describe('agents with several replicas behind several gateways', () => {
  let topology: SeparateServices;
  let model: ScriptedModel;
  let here: ChatClient;
  let there: ChatClient;
  const more: ChildService[] = [];

  beforeAll(async () => {
    // No question here is about data, so there is no runtime.
    const options = { buildWorkers: 1, runtimes: 0, services: ['agents'] as const, environment: scriptedProviders };
    [topology, model] = await Promise.all([startSeparateServices(options), startScriptedModel()]);
    const { id } = await createDeployment(topology.admin);
    ({ chat: here } = await automaticAgent(topology.admin, id));
    await useModel(topology.admin, model);
    more.push(await startService('agents-2', topology.environment));
    const { gateway, url } = await startSecondGateway(topology);
    more.push(gateway);
    there = here.with({ chatUrl: here.chatUrl.replace(/^https?:\/\/[^/]+/, url) });
  });
  afterAll(async () => {
    await Promise.all(more.map((service) => service.stop()));
    await topology?.stop();
    await model?.stop();
  });

  /** Asks, and reads on until the provider has the question; what it says meanwhile goes on in the background. */
  async function begun(messageId: string): Promise<{ chatId: string; rest: AsyncGenerator<ChatLine> }> {
    const rest = linesOf(await here.open({ input: 'How many?', messageId }));
    const { value } = (await rest.next()) as { value: ChatLine };
    await until(
      'the model to be asked',
      () => model.requests.length,
      (count) => count > 0,
    );
    return { chatId: value.state?.chatId ?? '', rest };
  }

  it('are joined through another gateway, whichever replica is asked, and ask the model once', async () => {
    let goOn = (): void => undefined;
    model.script({ says: 'There are ', stalls: new Promise<void>((resolve) => (goOn = resolve)) });
    const messageId = '1772443800000-message';
    const { chatId, rest } = await begun(messageId);
    const joined = Array.from({ length: 8 }, (_none, index) =>
      (index % 2 === 0 ? here : there).ask({ input: 'How many?', messageId, chatId }),
    );
    goOn();
    for await (const line of rest) expect(line.sort).toBeGreaterThanOrEqual(0);
    for (const lines of await Promise.all(joined)) {
      expect(answerIn(lines)).toBe('There are ');
      expect(lines.at(-1)).toMatchObject({ id: '__state__', state: { isStreaming: false } });
    }
    expect(model.requests).toHaveLength(1);
  });

  it('end an answer wherever it is given', async () => {
    for (const gateway of [here, there, here, there]) {
      model.script({ says: 'Well, ', stalls: true });
      const before = model.abandoned();
      const { chatId } = await begun(`${Date.now()}-message`);
      expect((await gateway.abort(chatId)).status).toBe(204);
      await until(
        'the call to end',
        () => model.abandoned(),
        (count) => count === before + 1,
      );
    }
  });

  it('leave no thread stuck when one is killed: who joins gets a sentence, and the next question its answer', async () => {
    model.script({ says: 'Well, ', stalls: true });
    await more[0]?.stop();
    const messageId = `${Date.now()}-message`;
    const { chatId, rest } = await begun(messageId);
    more[0] = await startService('agents-2', topology.environment);
    const killedAt = performance.now();
    topology.processes.get('agents')?.kill('SIGKILL');
    await expect(
      (async () => {
        for await (const line of rest) expect(line.id).not.toBe('__state__');
      })(),
    ).rejects.toThrow();

    const joined = await until(
      'the other replica to take who joins',
      () => there.open({ input: 'How many?', messageId, chatId }),
      ({ status }) => status === 200,
    );
    const lines: ChatLine[] = [];
    for await (const line of linesOf(joined)) lines.push(line);
    expect(answerIn(lines)).toMatch(/broken off/);
    expect(lines.at(-1)).toMatchObject({ id: '__state__', state: { isStreaming: false } });
    model.script({ says: 'Seven.' });
    expect(answerIn(await there.ask({ input: 'And now?', chatId }))).toBe('Seven.');
    expect(performance.now() - killedAt).toBeLessThan(LEASE_MS + boundMs(LEASE_MS));
  });
});
