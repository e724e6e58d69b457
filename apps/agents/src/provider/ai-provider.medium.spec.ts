import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { startScriptedModel, type ScriptedModel, type ScriptedReply } from '@plinth/testing';
import { startAgents, viewerOf, type AgentsFixture } from '../testing/agents-fixture';

const open = { PLINTH_AI_ALLOW_INSECURE_PROVIDERS: 'true', PLINTH_AI_PROVIDER_TIMEOUT_MS: '300' };

describe('the provider of an account', () => {
  let platform: AgentsFixture;
  let model: ScriptedModel;
  let admin: Principal;

  beforeAll(async () => {
    [platform, model] = await Promise.all([startAgents('in-process', open), startScriptedModel()]);
  });
  afterAll(() => Promise.all([platform?.stop(), model?.stop()]));
  beforeEach(() => {
    ({ admin } = platform.newAccount());
  });

  const bodyOf = (more: object = {}) => ({
    ...{ kind: 'openai-compatible', baseUrl: model.baseUrl, model: 'large-1', key: 'sk-secret' },
    ...more,
  });
  const set = (more: object = {}) => platform.call(admin, 'setAiProvider', { body: bodyOf(more) });
  const test = (...replies: ScriptedReply[]) => {
    model.script(...replies);
    return platform.call(admin, 'testAiProvider');
  };

  it('is none from the start: nothing to read, and nothing to try', async () => {
    expect(await platform.refusal(admin, 'getAiProvider')).toEqual({ status: 404, code: 'ai_provider.not_set' });
    expect(await platform.refusal(admin, 'testAiProvider')).toEqual({ status: 409, code: 'ai_provider.missing' });
  });

  it.each(['http://169.254.169.254/v1', 'https://[fd00:ec2::254]/'])('has no address such as %s', async (baseUrl) => {
    const refusal = await platform.refusal(admin, 'setAiProvider', { body: bodyOf({ baseUrl }) });
    expect(refusal).toEqual({ status: 400, code: 'ai_provider.address_refused' });
    expect(await platform.refusal(admin, 'getAiProvider')).toMatchObject({ status: 404 });
  });

  it('is for administrators alone, and for their own account', async () => {
    await set();
    const denied = { status: 403, code: 'access.denied' };
    for (const operationId of ['getAiProvider', 'testAiProvider', 'deleteAiProvider', 'listAiUsage'] as const) {
      expect(await platform.refusal(viewerOf(admin), operationId)).toEqual(denied);
    }
    const { admin: stranger } = platform.newAccount();
    expect(await platform.refusal(stranger, 'getAiProvider')).toMatchObject({ status: 404 });
  });

  it('has a key that is never shown, nor kept readable', async () => {
    expect(JSON.stringify(await set())).not.toContain('sk-secret');
    expect(await platform.call(admin, 'getAiProvider')).toMatchObject({ hasKey: true, source: 'account' });
    const text = 'select sealed_key as sealed from ai_provider where tenant_id = $1';
    const [row] = await platform.database.readAsSystem<{ sealed: string }>({ name: 'keys', text }, [admin.tenantId]);
    expect(row?.sealed).toMatch(/^[0-9a-f]{8}\./);
    expect(row?.sealed).not.toContain('secret');
  });

  it('keeps its key as long as the server stays, and gives it to no other', async () => {
    await set();
    const body = bodyOf({ model: 'large-2', key: undefined });
    expect(await platform.call(admin, 'setAiProvider', { body })).toMatchObject({ hasKey: true });
    await test({ says: 'ok' });
    expect(model.requests[0]?.authorization).toBe('Bearer sk-secret');
    const elsewhere = { ...body, baseUrl: `${model.baseUrl}/elsewhere` };
    expect(await platform.call(admin, 'setAiProvider', { body: elsewhere })).toMatchObject({ hasKey: false });
    expect(await set({ key: null })).toMatchObject({ hasKey: false });
  });

  it.each<[string, ScriptedReply, RegExp]>([
    ['refuses the key', { status: 401, body: '{"error":{"message":"sk-secret is wrong"}}' }, /refuses the key \(401\)/],
    ['has too much to do', { status: 429 }, /too much to do.*\(429\)/],
    ['fails', { status: 500 }, /failed \(500\)/],
    ['does not know the model', { status: 404 }, /not at the address.*\(404\)/],
    ['answers nonsense', { bytes: '<html>' }, /could not be understood/],
  ])('is told to be at fault when it %s', async (_what, reply, message) => {
    await set();
    const outcome = await test(reply);
    expect(outcome).toMatchObject({ ok: false, model: 'large-1', message: expect.stringMatching(message) });
    expect(JSON.stringify(outcome)).not.toContain('secret');
  });

  it('is told to be at fault when nobody is there', async () => {
    await set({ baseUrl: 'http://127.0.0.1:9/v1' });
    expect(await test()).toMatchObject({ ok: false, message: expect.stringContaining('could not be reached') });
  });

  it('answers a trial, which is counted', async () => {
    await set();
    expect(await test({ says: 'ok' })).toMatchObject({ ok: true, model: 'large-1' });
    await test({ says: 'ok' });
    const { items } = await platform.call(admin, 'listAiUsage');
    const month = new Date().toISOString().slice(0, 7);
    const identity = `user:${admin.userId}`;
    expect(items).toEqual([{ month, identity, turns: 2, inputTokens: 20, outputTokens: 10 }]);
    expect((await platform.call(admin, 'listAiUsage', { query: { month: '2020-01' } })).items).toEqual([]);
    const { admin: stranger } = platform.newAccount();
    expect((await platform.call(stranger, 'listAiUsage')).items).toEqual([]);
  });

  it('is gone when it is removed, as often as one likes', async () => {
    await set();
    for (let time = 0; time < 2; time += 1) await platform.call(admin, 'deleteAiProvider');
    expect(await platform.refusal(admin, 'getAiProvider')).toMatchObject({ status: 404 });
  });
});

describe('a provider where services run apart', () => {
  let platform: AgentsFixture;

  beforeAll(async () => {
    platform = await startAgents();
  });
  afterAll(() => platform?.stop());

  it.each(['http://llm.example.com/v1', 'https://127.0.0.1/v1', 'https://10.0.0.1/v1', 'https://[fd12::1]/v1'])(
    'is not set at %s',
    async (baseUrl) => {
      const { admin } = platform.newAccount();
      const body = { kind: 'openai-compatible', baseUrl, model: 'm' };
      const refused = { status: 400, code: 'ai_provider.address_refused' };
      expect(await platform.refusal(admin, 'setAiProvider', { body })).toEqual(refused);
    },
  );

  it('is not called at a name that leads to the machine itself', async () => {
    const { admin } = platform.newAccount();
    const body = { kind: 'openai-compatible', baseUrl: 'https://localhost/v1', model: 'm' };
    await platform.call(admin, 'setAiProvider', { body });
    const message = expect.stringContaining('its network must not be used');
    expect(await platform.call(admin, 'testAiProvider')).toMatchObject({ ok: false, message });
  });
});

describe('the provider of the operator', () => {
  let platform: AgentsFixture;
  let model: ScriptedModel;

  beforeAll(async () => {
    model = await startScriptedModel();
    const settings = { PLINTH_AI_BASE_URL: model.baseUrl, PLINTH_AI_MODEL: 'house', PLINTH_AI_KEY: 'sk-house' };
    platform = await startAgents('in-process', { ...open, ...settings, PLINTH_AI_MONTHLY_TOKENS: '1000' });
  });
  afterAll(() => Promise.all([platform?.stop(), model?.stop()]));

  it('serves accounts that have none of their own, and shows them no key', async () => {
    const { admin } = platform.newAccount();
    const shown = await platform.call(admin, 'getAiProvider');
    expect(shown).toMatchObject({ source: 'operator', model: 'house', hasKey: true, monthlyTokens: 1_000 });
    expect(await platform.call(admin, 'testAiProvider')).toMatchObject({ ok: true });
    expect(model.requests.at(-1)?.authorization).toBe('Bearer sk-house');
  });
});
