import { startScriptedModel, until, type ScriptedModel, type TestDatabase } from '@plinth/testing';
import { Client } from 'pg';
import { answerIn, chatIdIn, linesOf, type ChatClient, type ChatLine } from './harness/chat-client';
import { AI_HOST, ChatShop } from './harness/chat-shop';
import { createShopDatabase } from './harness/shop';
import { isOnNats, topologies } from './harness/topologies';
import type { Topology } from './harness/topology';

const UNKNOWN = '0b7bd1b6-1f3c-4f0e-9d2a-8f5b7c1f6a11';
const COUNT = { name: 'cubeSqlApi', input: { sqlQuery: 'SELECT MEASURE(count) AS n FROM neighbours' } };
const refused = (status: number, code: string) => ({ status, code });

describe.each(topologies)('agents that are asked by HTTP: %s', (name, start) => {
  let topology: Topology;
  let database: TestDatabase;
  let model: ScriptedModel;
  let shop: ChatShop;
  let chat: ChatClient;

  beforeAll(async () => {
    [topology, database, model] = await Promise.all([start(), createShopDatabase(), startScriptedModel()]);
    shop = await ChatShop.open(topology, database);
    ({ chat } = shop);
  });
  afterAll(async () => {
    await topology?.stop();
    await Promise.all([database?.drop(), model?.stop()]);
  });

  const asked = () =>
    until(
      'the model to be asked',
      () => model.requests.length,
      (count) => count > 0,
    );

  it('answer 409 without a language model, and take nothing down', async () => {
    expect(await chat.refusal({ input: 'x' })).toEqual(refused(409, 'ai_provider.missing'));
    const { items } = await topology.admin.call('listChatThreads');
    expect(items).toEqual([]);
    await shop.useModel(model);
  });

  it('wait for a slow reader, who holds up nobody else and misses nothing', async () => {
    const words = Array.from({ length: 12_000 }, (_none, index) => `w${index}`).join(' ');
    model.script({ says: words });
    const messageId = '1772443800000-message';
    const slow = linesOf(await chat.open({ input: 'Tell me all', messageId }));
    const { value } = (await slow.next()) as { value: ChatLine };
    const chatId = value.state?.chatId;
    const quick = await chat.ask({ input: 'Tell me all', messageId, chatId });
    expect(answerIn(quick) === words).toBe(true);
    const late: ChatLine[] = [];
    for await (const line of slow) late.push(line);
    expect(answerIn(late) === words).toBe(true);
    expect(late.at(-1)).toMatchObject({ id: '__state__', state: { isStreaming: false, chatId } });
    const pieces = late.filter(({ isDelta }) => isDelta).map(({ content }) => content);
    // What grew while nobody read came in fewer pieces, or with the whole message at its end.
    expect(words.startsWith(pieces.join(''))).toBe(true);
  });

  it('go on without their client, who joins again by the id of the question', async () => {
    let goOn = (): void => undefined;
    model.script({ says: 'There are ', stalls: new Promise<void>((resolve) => (goOn = resolve)) });
    const body = { input: 'How many?', messageId: '1772443800001-message' };
    const first = linesOf(await chat.open(body));
    const { value } = (await first.next()) as { value: ChatLine };
    const chatId = value.state?.chatId;
    await asked();
    await first.return(undefined);
    expect(await chat.refusal({ input: 'Other', chatId })).toEqual(refused(409, 'chat.streaming'));
    const joined = chat.ask({ ...body, chatId });
    goOn();
    expect(answerIn(await joined)).toBe('There are ');
    expect(model.requests).toHaveLength(1);
  });

  it('end the call of the provider when they are told to, and can be asked again', async () => {
    model.script({ says: 'Well, ', stalls: true });
    const before = model.abandoned();
    const lines = linesOf(await chat.open({ input: 'How many?' }));
    const { value } = (await lines.next()) as { value: ChatLine };
    const chatId = value.state?.chatId ?? '';
    await asked();
    expect((await chat.abort(chatId)).status).toBe(204);
    const rest: ChatLine[] = [];
    for await (const line of lines) rest.push(line);
    expect(rest.map(({ id }) => id)).not.toContain('__state__');
    await until(
      'the call to end',
      () => model.abandoned(),
      (count) => count === before + 1,
    );
    expect((await chat.abort(UNKNOWN)).status).toBe(404);
    model.script({ says: 'Seven.' });
    expect(answerIn(await chat.ask({ input: 'And now?', chatId }))).toBe('Seven.');
  });

  // The rest is what one service does.
  if (!isOnNats(name)) return;

  it('are closed to a wrong key, and not there under another account or number', async () => {
    const wrong = chat.with({ headers: { authorization: 'Api-Key sk-wrong' } });
    expect(await wrong.refusal({ input: 'x' })).toEqual(refused(401, 'auth.credential_invalid'));
    expect(await chat.with({ headers: {} }).refusal({ input: 'x' })).toEqual(refused(401, 'auth.credential_missing'));
    const at = (from: RegExp, to: string) => chat.with({ chatUrl: chat.chatUrl.replace(from, to) });
    expect(await at(/public\/[^/]+/, 'public/nobody').refusal({ input: 'x' })).toEqual(
      refused(404, 'account.not_found'),
    );
    expect(await at(/agents\/\d+/, 'agents/999999').refusal({ input: 'x' })).toEqual(refused(404, 'agent.not_found'));
    expect(await chat.refusal({ input: 'x', chatId: UNKNOWN })).toEqual(refused(404, 'chat.not_found'));
    for (const body of [{ input: '' }, { input: 7 }, { chatId: 'x' }, { input: 'x', messageId: 'mine' }, {}]) {
      expect(await chat.refusal(body)).toEqual(refused(400, 'request.invalid'));
    }
  });

  it('give two users other numbers for one question: those that the rows of each of them have', async () => {
    const rowsOf = async (city: string): Promise<string> => {
      const client = new Client({ connectionString: database.url });
      await client.connect();
      const { rows } = await client.query<{ n: string }>('select count(*) n from customers where city = $1', [city]);
      await client.end();
      return rows[0]?.n ?? '';
    };
    const seen = async (who: ChatClient): Promise<unknown> => {
      model.script({ calls: [COUNT] }, ({ body }) => ({ says: String(body.messages.at(-1)?.content) }));
      const { data } = JSON.parse(answerIn(await who.ask({ input: 'How many neighbours?' })) ?? '{}') as {
        data?: unknown[][];
      };
      return data;
    };
    const [lyon, pune] = [await shop.userFrom('Lyon'), await shop.userFrom('Pune')];
    const [inLyon, inPune] = [[[await rowsOf('Lyon')]], [[await rowsOf('Pune')]]];
    expect(inLyon).not.toEqual(inPune);
    expect(await seen(lyon.chat)).toEqual(inLyon);
    expect(await seen(pune.chat)).toEqual(inPune);
    // The administrator's key asks for others: the numbers are theirs.
    expect(await seen(chat.with({ sessionSettings: { internalId: lyon.email } }))).toEqual(inLyon);
    const userAttributes = [{ name: 'city', value: 'Pune' }];
    expect(await seen(chat.with({ sessionSettings: { externalId: 'ada', userAttributes } }))).toEqual(inPune);

    model.script({ says: 'Seven.' });
    const chatId = chatIdIn(await lyon.chat.ask({ input: 'Mine' }));
    expect(await pune.chat.refusal({ input: 'Mine?', chatId })).toEqual(refused(403, 'chat.foreign'));
    expect((await pune.chat.abort(chatId)).status).toBe(403);
  });

  it('are asked with tokens of the deployment, by both addresses, where its settings allow it', async () => {
    const context = (city: string) => ({ externalId: 'Ada', cubeCloud: { userAttributes: { city } } });
    const [inLyon, inPune] = [await shop.byToken(context('Lyon')), await shop.byToken(context('Pune'))];
    expect(await inLyon.refusal({ input: 'x' })).toEqual(refused(403, 'chat.tokens_off'));
    const path = shop.shop.path;
    await topology.admin.call('updateDeployment', { path, body: { isChatTokenAllowed: true } });
    await until(
      'the switch to be heard of',
      () => inLyon.open({ chatId: UNKNOWN }),
      ({ status }) => status === 404,
    );
    const unfit = await shop.byToken(context('Lyon'), []);
    expect(await unfit.refusal({ input: 'x' })).toEqual(refused(403, 'chat.token_scope'));
    const { authorization = '' } = chat.headers;
    const both = { ...inLyon.headers, authorization };
    const response = await inLyon.with({ headers: both }).open({ input: 'x' });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: 'agentId is required for Api-Key authentication' });
    const forged = inLyon.with({ headers: { 'x-cube-auth-token': `${inLyon.headers['x-cube-auth-token'] ?? ''}x` } });
    expect(await forged.refusal({ input: 'x' })).toEqual(refused(401, 'auth.credential_invalid'));

    const seen: (string | undefined)[] = [];
    const byAgent = inPune.with({ chatUrl: chat.chatUrl });
    for (const who of [inLyon, inPune, byAgent]) {
      model.script({ calls: [COUNT] }, ({ body }) => ({ says: String(body.messages.at(-1)?.content) }));
      const { data } = JSON.parse(answerIn(await who.ask({ input: 'How many?' })) ?? '{}') as { data?: unknown };
      seen.push(JSON.stringify(data));
    }
    expect(seen[0]).toMatch(/\d/);
    expect(seen[0]).not.toBe(seen[1]);
    expect(seen[1]).toBe(seen[2]);

    for (const who of [inLyon, byAgent]) {
      model.script({ says: 'Well, ', stalls: true });
      const lines = linesOf(await who.open({ input: 'How many?' }));
      const { value } = (await lines.next()) as { value: ChatLine };
      await asked();
      expect((await who.abort(value.state?.chatId ?? '')).status).toBe(204);
      for await (const line of lines) expect(line.id).not.toBe('__state__');
    }
  });

  it('are asked at a host of their own, where there is nothing else and the path names the account', async () => {
    const { items } = await topology.admin.call('listAgents', { path: shop.shop.path });
    const shown = items[0]?.chatUrl ?? '';
    expect(shown).toMatch(new RegExp(`^http://${AI_HOST}/api/v1/public/${topology.tenant}/agents/`));
    const at = topology.admin.at(AI_HOST);
    const { pathname } = new URL(shown);
    model.script({ says: 'Seven.' });
    const body = { input: 'How many?', sessionSettings: { externalId: 'ada' } };
    const { status, body: text } = await at.send('POST', pathname, { body });
    expect([status, String(text)]).toEqual([200, expect.stringContaining('Seven.')]);
    const elsewhere = pathname.replace(`/${topology.tenant}/`, '/nobody/');
    expect(await at.send('POST', elsewhere, { body })).toMatchObject({
      status: 404,
      body: { code: 'account.not_found' },
    });
    expect((await at.send('GET', `/api/v1/deployments/${shop.shop.deploymentId}`)).status).toBe(404);
    expect((await at.as('Api-Key sk-wrong').send('POST', pathname, { body })).status).toBe(401);
  });
});
