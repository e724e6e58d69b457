import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anonymousPrincipal } from '@plinth/auth';
import { manifestOf } from '../../testing/dbt-manifest';
import { DbtSyncs, HeldCheck, ofManifest, type Place } from '../../testing/dbt-syncs';
import { eventually, startFixture, type Fixture } from '../../testing/fixture';
import { grantsOf, userOf } from '../../testing/worker-harness';

let folder: string;
let platform: Fixture;
const check = new HeldCheck();
const syncs = new DbtSyncs(
  () => platform,
  () => folder,
);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-dbt-'));
  // Runs of repositories fail in their first phase: what is shown here is when they begin.
  platform = await startFixture(['worker-1', 'worker-2'], { PLINTH_DBT_COMMAND: '/nowhere/dbt' }, check.answer);
});
afterAll(async () => {
  await platform?.stop();
  rmSync(folder, { recursive: true, force: true });
});

let serial = 0;
const newHead = (): string => (++serial).toString(16).padStart(40, '0');
const push = (head = newHead(), branch = 'main') =>
  JSON.stringify({ ref: `refs/heads/${branch}`, after: head, repository: { default_branch: 'main' } });
const signed = (body: string, secret: string) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
});

/** A connected project, with the secret of its webhook. */
async function withWebhook(more: object = {}): Promise<Place & { secret: string }> {
  const { admin, path } = await syncs.connected(undefined, more);
  const { secret, webhookUrl } = await platform.call(admin, 'regenerateDbtWebhookSecret', { path });
  expect(webhookUrl).toBe(`/api/v1/deployments/${path.deploymentId}/dbt-sync/webhook`);
  return { admin, path, secret };
}

const request = ({ path }: Place, body: string, headers: Record<string, string>) => ({
  path,
  headers,
  rawBody: Buffer.from(body).toString('base64'),
});
const anybody = ({ admin }: Place) => anonymousPrincipal(admin.tenantId, 'x');
const deliver = async (place: Place & { secret: string }, body: string): Promise<string> => {
  const wanted = request(place, body, signed(body, place.secret));
  return (await platform.call(anybody(place), 'receiveDbtWebhook', wanted)).effect;
};
const refused = async (place: Place, body: string, headers: Record<string, string>): Promise<[string, number]> => {
  const { code, status } = await platform.refusal(anybody(place), 'receiveDbtWebhook', request(place, body, headers));
  return [code, status];
};
const runs = async ({ admin, path }: Place) =>
  (await platform.call(admin, 'listDbtSyncs', { path, query: { trigger: 'webhook' } })).items;
const ended = (place: Place, count: number) =>
  eventually(
    () => runs(place),
    (items) => items.length >= count && items.every(({ status }) => status !== 'RUNNING'),
  );

const UNSIGNED = ['dbt_source.signature_invalid', 401];

describe('a webhook of a dbt repository is refused', () => {
  it('without the signature of exactly this body by exactly this secret', async () => {
    const place = await withWebhook();
    const body = push();
    expect(await refused(place, body, {})).toEqual(UNSIGNED);
    expect(await refused(place, `${body} `, signed(body, place.secret))).toEqual(UNSIGNED);
    expect(await refused(place, body, signed(body, 'another'))).toEqual(UNSIGNED);
    expect(await refused(place, body, { 'x-gitlab-token': 'another' })).toEqual(UNSIGNED);
    // A wrong signature is not made good by the token beside it.
    const both = { ...signed(body, 'another'), 'x-gitlab-token': place.secret };
    expect(await refused(place, body, both)).toEqual(UNSIGNED);
    expect(await runs(place)).toEqual([]);
  });

  it('with the secret of before, of another deployment, and where there is none', async () => {
    const place = await withWebhook();
    const other = await withWebhook();
    const body = push();
    expect(await refused(place, body, signed(body, other.secret))).toEqual(UNSIGNED);
    const stranger = request(other, body, signed(body, other.secret));
    expect((await platform.refusal(anybody(place), 'receiveDbtWebhook', stranger)).code).toBe(UNSIGNED[0]);
    await platform.call(place.admin, 'regenerateDbtWebhookSecret', { path: place.path });
    expect(await refused(place, body, signed(body, place.secret))).toEqual(UNSIGNED);
    expect(await refused(await syncs.connected(), body, signed(body, ''))).toEqual(UNSIGNED);
    const nowhere = { admin: place.admin, path: { deploymentId: 987_654 } };
    expect(await refused(nowhere, body, signed(body, place.secret))).toEqual(UNSIGNED);
  });

  it('when it is no JSON', async () => {
    const place = await withWebhook();
    expect(await refused(place, '{', signed('{', place.secret))).toEqual(['request.malformed_body', 400]);
  });
});

describe('the secret of a webhook', () => {
  it('is made for a connected project alone, by who may manage secrets', async () => {
    const { admin, path } = platform.newDeployment();
    const { code, status } = await platform.refusal(admin, 'regenerateDbtWebhookSecret', { path });
    expect([code, status]).toEqual(['dbt_source.not_connected', 409]);
    const user = userOf(admin.tenantId, 5, grantsOf('DeploymentRead', 'DeploymentUpdate', 'SchemaUpdate'));
    expect((await platform.refusal(user, 'regenerateDbtWebhookSecret', { path })).code).toBe('access.denied');
  });

  it('is shown once, stays when the connection changes, and goes with it', async () => {
    const place = await withWebhook();
    const { admin, path, secret } = place;
    const { url, ...shown } = await platform.call(admin, 'getDbtSource', { path });
    expect(shown).toMatchObject({ hasWebhookSecret: true });
    expect(JSON.stringify(shown) + platform.logged()).not.toContain(secret);
    await platform.call(admin, 'putDbtSource', { path, body: { url: url ?? '', branch: 'main' } });
    expect(await deliver(place, push())).toBe('accepted');
    await platform.call(admin, 'deleteDbtSource', { path });
    expect(await platform.call(admin, 'getDbtSource', { path })).toMatchObject({ hasWebhookSecret: false });
  });
});

describe('a push', () => {
  it('of another branch, of a tag, or of another kind starts nothing', async () => {
    const place = await withWebhook({ branch: 'release' });
    expect(await deliver(place, push())).toBe('ignored');
    expect(await deliver(place, JSON.stringify({ zen: 'Design for failure.' }))).toBe('ignored');
    expect(await runs(place)).toEqual([]);
  });

  it('to the branch that is followed starts a run, which the history tells of', async () => {
    const place = await withWebhook();
    const head = newHead();
    expect(await deliver(place, push(head))).toBe('accepted');
    const [run] = await ended(place, 1);
    expect(run).toMatchObject({
      ...{ trigger: 'webhook', source: 'git', userId: null, status: 'FAILED' },
      triggerContext: { headSha: head, pushedBranch: 'main', targetBranch: 'main' },
      branchName: expect.stringMatching(/^dbt-sync\/main-/) as string,
    });
  });

  it('of GitLab comes with the secret itself', async () => {
    const place = await withWebhook();
    const body = JSON.stringify({ ref: 'refs/heads/main', after: newHead(), project: { default_branch: 'main' } });
    const wanted = request(place, body, { 'x-gitlab-token': place.secret });
    expect(await platform.call(anybody(place), 'receiveDbtWebhook', wanted)).toEqual({ effect: 'accepted' });
    await ended(place, 1);
  });

  it('that is delivered again, at once or later, starts one run', async () => {
    const place = await withWebhook();
    const body = push();
    const effects = await Promise.all(Array.from({ length: 10 }, () => deliver(place, body)));
    expect(effects.sort()).toEqual(['accepted', ...Array<string>(9).fill('repeated')]);
    await ended(place, 1);
    expect(await deliver(place, body)).toBe('repeated');
    // A later push begins after whatever a repeat might have begun.
    expect(await deliver(place, push())).toBe('accepted');
    expect(await ended(place, 2)).toHaveLength(2);
  });

  it('that comes while a run is under way waits for its end, and the newest alone is taken then', async () => {
    const place = await withWebhook();
    const { reached, release } = check.hold();
    const { syncJobId } = await syncs.start(place, ofManifest(manifestOf({ orders: ['id'] })));
    await reached;
    const heads = [newHead(), newHead()];
    for (const head of heads) expect(await deliver(place, push(head))).toBe('accepted');
    expect(await runs(place)).toEqual([]);
    release();
    expect(await syncs.ended(place, syncJobId)).toMatchObject({ status: 'COMPLETED' });
    const begun = await ended(place, 1);
    expect(begun.map(({ triggerContext }) => triggerContext?.headSha)).toEqual([heads[1]]);
  });
});
