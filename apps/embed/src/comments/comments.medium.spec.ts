import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { systemPrincipal, type Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { managerFor } from '@plinth/database';
import { sessionOf, startEmbed, transports, type EmbedFixture, type TestAccount } from '../testing/embed-fixture';

const SALES = 'q7XbT2mZk4Lw';
const STOCK = 'aaaaaaaaaaaa';

const comments = [
  ['listDashboardComments', {}],
  ['createDashboardComment', { body: { body: 'Why?' } }],
  ['updateDashboardComment', { path: { commentId: 1 }, body: { body: 'Why?' } }],
  ['removeDashboardComment', { path: { commentId: 1 } }],
  ['setDashboardCommentResolved', { path: { commentId: 1 }, body: { resolved: true } }],
  ['listMentionableEmbedUsers', {}],
] as const;

const notFound = { status: 404, code: 'comment.not_found' };

type Thread = ReplyOf<'listDashboardComments'>['items'][number];

describe.each(transports)('comments on embedded dashboards, by %s', (transport) => {
  let platform: EmbedFixture;
  let account: TestAccount;
  let ada: Principal;
  let bob: Principal;
  let stranger: Principal;

  beforeAll(async () => {
    platform = await startEmbed(transport);
  });
  afterAll(() => platform?.stop());
  beforeEach(async () => {
    account = platform.newAccount();
    account.dashboards.set(SALES, 3).set(STOCK, 4);
    ada = await newSession('acme', 'ada');
    bob = await newSession('acme', 'bob');
    stranger = await newSession('zeta', 'eve');
  });

  async function newSession(embedTenantName: string, externalId: string, profile: object = {}): Promise<Principal> {
    const request = { path: { embedTenantName }, body: { externalId, ...profile } };
    const { id } = await platform.call(account.admin, 'provisionEmbedUser', request);
    return sessionOf(account, embedTenantName, id);
  }
  const at = (publicId: string, commentId?: number) => ({ path: { publicId, ...(commentId && { commentId }) } });
  const list = (who: Principal, query: object = {}, publicId = SALES) =>
    platform.call(who, 'listDashboardComments', { ...at(publicId), query });
  const write = (who: Principal, body: string, parentId?: number, publicId = SALES) =>
    platform.call(who, 'createDashboardComment', { ...at(publicId), body: { body, parentId: parentId ?? null } });
  const edit = (id: number, body: string) => ({ ...at(SALES, id), body: { body } });
  const remove = (who: Principal, id: number) => platform.call(who, 'removeDashboardComment', at(SALES, id));
  const resolve = (who: Principal, id: number, resolved = true) =>
    platform.call(who, 'setDashboardCommentResolved', { ...at(SALES, id), body: { resolved } });
  const deliver = (type: string, payload: object) =>
    platform.call(systemPrincipal(account.tenantId), 'deliverEventsToEmbed', {
      body: { tenantId: account.tenantId, events: [{ eventId: randomUUID(), type, payload }] },
    });
  const textsOf = ({ root, replies }: Thread) => [root.body, ...replies.map(({ body }) => body)];
  const texts = async (who: Principal, query: object = {}) => (await list(who, query)).items.map(textsOf);

  describe.each(comments)('%s', (operationId, request) => {
    const refusal = (who: Principal, publicId = SALES) =>
      platform.refusal(who, operationId, { ...request, path: { publicId, ...('path' in request && request.path) } });

    it('is refused to whoever has no embed user of an embed tenant', async () => {
      expect(await refusal(account.admin)).toMatchObject({ status: 403 });
      const nobody = { status: 403, code: 'embed_session.no_embed_user' };
      expect(await refusal(sessionOf(account, null, 1))).toEqual(nobody);
      expect(await refusal(sessionOf(account, 'acme', null))).toEqual(nobody);
    });

    it('finds no dashboard that one may not see', async () => {
      expect(await refusal(ada, 'bbbbbbbbbbbb')).toEqual({ status: 404, code: 'dashboard.not_found' });
    });

    it('is refused where the account has switched comments off', async () => {
      account.hasComments = false;
      expect(await refusal(ada)).toEqual({ status: 403, code: 'comments.off' });
    });
  });

  it("of another embed tenant, another account's and those on another dashboard are not there", async () => {
    const { id } = await write(ada, 'Why?');
    const other = platform.newAccount();
    other.dashboards.set(SALES, 3);
    const body = { externalId: 'ada' };
    await platform.call(other.admin, 'provisionEmbedUser', { path: { embedTenantName: 'acme' }, body });
    const foreign = sessionOf(other, 'acme', Number(ada.embed?.embedUserId));
    for (const [who, publicId] of [
      [stranger, SALES],
      [foreign, SALES],
      [ada, STOCK],
    ] as const) {
      expect((await list(who, { includeResolved: true }, publicId)).items).toEqual([]);
      const changes = [
        ['createDashboardComment', { path: { publicId }, body: { body: 'Because', parentId: id } }],
        ['updateDashboardComment', { ...at(publicId, id), body: { body: 'Changed' } }],
        ['removeDashboardComment', at(publicId, id)],
        ['setDashboardCommentResolved', { ...at(publicId, id), body: { resolved: true } }],
      ] as const;
      for (const [operationId, request] of changes) {
        expect(await platform.refusal(who, operationId, request)).toEqual(notFound);
      }
    }
    expect(await texts(ada)).toEqual([['Why?']]);
  });

  it('of somebody else are not changed, deleted or resolved', async () => {
    const { id } = await write(ada, 'Why?');
    const notOwn = { status: 403, code: 'comment.not_own' };
    expect(await platform.refusal(bob, 'updateDashboardComment', edit(id, 'Mine'))).toEqual(notOwn);
    expect(await platform.refusal(bob, 'removeDashboardComment', at(SALES, id))).toEqual(notOwn);
    const resolution = { ...at(SALES, id), body: { resolved: true } };
    expect(await platform.refusal(bob, 'setDashboardCommentResolved', resolution)).toEqual(notOwn);
    expect(await texts(bob)).toEqual([['Why?']]);
  });

  it('have one level of replies, to threads that are there', async () => {
    const { id } = await write(ada, 'Why?');
    const reply = await write(bob, 'Because', id);
    const replyTo = (parentId: number) => ({ ...at(SALES), body: { body: 'And?', parentId } });
    const isReply = { status: 400, code: 'comment.is_reply' };
    expect(await platform.refusal(ada, 'createDashboardComment', replyTo(reply.id))).toEqual(isReply);
    const resolution = { ...at(SALES, reply.id), body: { resolved: true } };
    expect(await platform.refusal(bob, 'setDashboardCommentResolved', resolution)).toEqual(isReply);
    await remove(ada, id);
    expect(await platform.refusal(bob, 'createDashboardComment', replyTo(id))).toEqual(notFound);
    expect(await platform.refusal(bob, 'createDashboardComment', replyTo(999_999))).toEqual(notFound);
  });

  it('say who has written them, whatever the body says', async () => {
    const request = { ...at(SALES), body: { body: ' Why? ', userId: 99, isOwn: false } };
    const made = await platform.call(ada, 'createDashboardComment', request);
    expect(made).toEqual({
      id: made.id,
      dashboardId: '3',
      body: ' Why? ',
      userId: ada.embed?.embedUserId,
      isOwn: true,
      createdAt: expect.any(String),
      editedAt: null,
      removedAt: null,
    });
    expect((await list(bob)).items[0]?.root).toEqual({ ...made, isOwn: false });
  });

  it('are threads, newest first, with their replies, oldest first; a reply moves nothing', async () => {
    const first = await write(ada, 'first');
    await write(ada, 'second');
    await write(bob, 'one', first.id);
    await write(ada, 'two', first.id);
    expect(await texts(bob)).toEqual([['second'], ['first', 'one', 'two']]);
  });

  it('are listed page by page, and cursors are good for the same filters and dashboard alone', async () => {
    for (const body of ['a', 'b', 'c']) await write(ada, body);
    const page = await list(ada, { first: 2 });
    expect(page.items.map(textsOf)).toEqual([['c'], ['b']]);
    const after = page.pageInfo.endCursor;
    expect(await texts(ada, { first: 2, after })).toEqual([['a']]);
    const refusal = (publicId: string, query: object) =>
      platform.refusal(ada, 'listDashboardComments', { ...at(publicId), query });
    expect(await refusal(SALES, { after, includeResolved: true })).toMatchObject({ status: 400 });
    expect(await refusal(STOCK, { after })).toMatchObject({ status: 400 });
  });

  it('make shorter pages when they are long, and none is lost', async () => {
    const text = '€'.repeat(10_000);
    for (const body of ['x', 'y', 'z']) {
      const { id } = await write(ada, body);
      await Promise.all(Array.from({ length: 30 }, () => write(bob, text, id)));
    }
    const seen: string[] = [];
    let after: string | null = null;
    let pages = 0;
    do {
      const page: ReplyOf<'listDashboardComments'> = await list(ada, after === null ? {} : { after });
      expect(JSON.stringify(page).length).toBeLessThan(1 << 20);
      seen.push(...page.items.map(({ root }) => root.body));
      after = page.pageInfo.hasNextPage ? (page.pageInfo.endCursor ?? null) : null;
      pages += 1;
    } while (after !== null);
    expect([seen, pages]).toEqual([['z', 'y', 'x'], 2]);
  });

  it('keep their place when they are deleted, without their text; a thread takes its replies with it', async () => {
    const { id } = await write(ada, 'Why?');
    const one = await write(bob, 'one', id);
    await write(ada, 'two', id);
    expect(await remove(bob, one.id)).toEqual({});
    expect((await list(ada)).items).toMatchObject([
      {
        root: { body: 'Why?', removedAt: null },
        replies: [
          { body: '', removedAt: expect.any(String) },
          { body: 'two', removedAt: null },
        ],
      },
    ]);
    await remove(ada, id);
    expect(await texts(bob)).toEqual([['', '', '']]);
    expect(await platform.refusal(ada, 'removeDashboardComment', at(SALES, id))).toEqual(notFound);
    expect(await platform.refusal(bob, 'removeDashboardComment', at(SALES, one.id))).toEqual(notFound);
    expect(await platform.refusal(bob, 'updateDashboardComment', edit(one.id, 'back'))).toEqual(notFound);
    expect(await resolve(ada, id)).toMatchObject({ root: { body: '' }, resolvedAt: expect.any(String) });
  });

  it('have a new text and the time of it after a change', async () => {
    const { id } = await write(ada, 'Why?');
    const changed = await platform.call(ada, 'updateDashboardComment', edit(id, 'How?'));
    expect(changed).toMatchObject({ id, body: 'How?', editedAt: expect.any(String) });
    expect((await list(bob)).items[0]?.root).toEqual({ ...changed, isOwn: false });
  });

  it('are left out when their thread is resolved, unless they are asked for, until it is opened again', async () => {
    const { id } = await write(ada, 'done');
    await write(bob, 'so it is', id);
    await write(ada, 'open');
    const resolved = await resolve(ada, id);
    expect(resolved).toMatchObject({ resolvedAt: expect.any(String), resolvedBy: ada.embed?.embedUserId });
    expect(textsOf(resolved)).toEqual(['done', 'so it is']);
    expect(await resolve(ada, id)).toEqual(resolved);
    expect(await texts(bob)).toEqual([['open']]);
    expect(await texts(bob, { includeResolved: true })).toEqual([['open'], ['done', 'so it is']]);
    expect(await texts(bob, { resolvedOnly: true })).toEqual([['done', 'so it is']]);
    expect(await resolve(ada, id, false)).toMatchObject({ resolvedAt: null, resolvedBy: null });
    expect(await texts(bob)).toEqual([['open'], ['done', 'so it is']]);
  });

  it('of one thread are no more than 500, however many come at once', async () => {
    const { id } = await write(ada, 'Why?');
    await platform.database.transaction(account.tenantId, (tx) =>
      managerFor(tx).query(
        `insert into dashboard_comment (tenant_id, embed_tenant_id, deployment_id, dashboard_id, root_id, author_id, body)
         select tenant_id, embed_tenant_id, deployment_id, dashboard_id, id, author_id, 'x'
         from dashboard_comment, generate_series(1, 497) where id = $1`,
        [id],
      ),
    );
    await write(ada, 'the last but one', id);
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => write(bob, 'one more', id)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['comment.too_many_replies']));
    expect((await list(ada)).items[0]?.replies).toHaveLength(500);
  });

  it('go with their embed tenant', async () => {
    await write(ada, 'Why?');
    await platform.call(account.admin, 'deleteEmbedTenant', { path: { embedTenantName: 'acme' } });
    expect(await platform.refusal(ada, 'listDashboardComments', at(SALES))).toMatchObject({ status: 404 });
    expect(await texts(await newSession('acme', 'ada'))).toEqual([]);
  });

  it('go with their dashboard, whoever wrote them, and with no other', async () => {
    const { id } = await write(ada, 'Why?');
    await write(bob, 'Because', id);
    await write(stranger, 'Hm');
    await write(ada, 'Elsewhere', undefined, STOCK);
    await deliver('dashboard.deleted', { deploymentId: 7, dashboardId: 5 });
    await deliver('dashboard.deleted', { deploymentId: 8, dashboardId: 3 });
    expect(await texts(ada)).toEqual([['Why?', 'Because']]);
    await deliver('dashboard.deleted', { deploymentId: 7, dashboardId: 3 });
    expect([await texts(ada), await texts(stranger)]).toEqual([[], []]);
    expect((await list(ada, {}, STOCK)).items.map(textsOf)).toEqual([['Elsewhere']]);
  });

  it('go with the deployment of their dashboard, and with no other', async () => {
    await write(ada, 'Why?');
    await deliver('deployment.deleted', { deploymentId: 8 });
    expect(await texts(ada)).toEqual([['Why?']]);
    await deliver('deployment.deleted', { deploymentId: 7 });
    expect(await texts(ada)).toEqual([]);
  });

  it('can mention everybody of the embed tenant by name, and nobody else', async () => {
    await newSession('acme', 'cleo', { email: 'Queen@acme.test', userProfile: { displayName: 'Cleo' } });
    const mention = (query: object) => platform.call(ada, 'listMentionableEmbedUsers', { ...at(SALES), query });
    const names = async (query: object) => (await mention(query)).items.map(({ username }) => username);
    const page = await mention({ first: 2 });
    expect(page.items).toEqual([
      { id: ada.embed?.embedUserId, username: 'ada', email: null, firstName: null },
      { id: bob.embed?.embedUserId, username: 'bob', email: null, firstName: null },
    ]);
    expect(await mention({ first: 2, after: page.pageInfo.endCursor })).toMatchObject({
      items: [{ username: 'cleo', email: 'queen@acme.test', firstName: 'Cleo' }],
      pageInfo: { hasNextPage: false },
    });
    expect(await names({ search: 'QUEEN' })).toEqual(['cleo']);
    expect(await names({ search: ' bo ' })).toEqual(['bob']);
    expect(await names({ search: 'cubecloud' })).toEqual([]);
    expect(await names({ search: '%' })).toEqual([]);
  });
});
