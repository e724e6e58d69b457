// (l) A page for a frame with eight widgets that were drawn before, to its last byte, beside the data that it shows alone.
import { percentile, send } from './client.mjs';
import { publishDashboard } from './dashboard.mjs';
import { awake, createShop, openShop } from './data-shop.mjs';
import { dist, startPlatform, startPostgres, temporaryFolder } from './processes.mjs';

const rounds = 120;
const warmUps = 10;
const clients = [1, 4];

const kinds = ['vega', 'table', 'vega', 'table', 'vega', 'table', 'vega', 'kpi'];

/** Four charts, three tables and a number, shared with all embed users. */
async function publish(url, path) {
  const { publicId, workbookId } = await publishDashboard(url, path, kinds, { allowEmbed: true });
  const access = { allEmbedUsers: true, action: 'read', allowEmbed: true };
  await send(url, 'PUT', `${path}/workbooks/${workbookId}/embed-access`, access);
  return { publicId, workbookId };
}

/** Opens a page once; resolves with a request for the same page in the same frame. */
async function frame(url, deploymentId, publicId) {
  const user = { deploymentId, externalId: 'ada', embedTenantName: 'acme' };
  const { sessionId } = await send(url, 'POST', '/api/v1/embed/generate-session', user);
  const first = await fetch(`${url}/embed/dashboard/${publicId}?session=${sessionId}`);
  const text = await first.text();
  if (!first.ok) throw new Error(`the page answered ${first.status}: ${text}`);
  const cookie = first.headers.get('set-cookie').split(';')[0];
  const [, name] = /plinth_embed_([^=]+)=/.exec(cookie);
  return async () => {
    const response = await fetch(`${url}/embed/dashboard/${publicId}?frame=${name}`, { headers: { cookie } });
    const body = await response.text();
    if (!response.ok) throw new Error(`the page answered ${response.status}: ${body}`);
    return body.length;
  };
}

async function timed(work, count) {
  const times = [];
  const one = async () => {
    for (let round = -warmUps; round < rounds / count; round += 1) {
      const start = performance.now();
      await work();
      if (round >= 0) times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: count }, one));
  return times;
}

export async function benchEmbedPages() {
  const databaseUrl = await startPostgres();
  const shop = await createShop(databaseUrl);
  const { sampleShopModel } = dist('libs/sample-shop/src');
  const url = await startPlatform(databaseUrl, temporaryFolder('storage'));
  const { path, token } = await openShop(url, shop, await sampleShopModel());
  const api = `/api/v1${path}`;
  const { publicId, workbookId } = await publish(url, api);
  await awake(`${url}${path}`, token);
  const begun = performance.now();
  const page = await frame(url, Number(path.split('/').pop()), publicId);
  const first = performance.now() - begun;
  const data = () => send(url, 'POST', `${api}/workbooks/${workbookId}/dashboard/data`, {});
  const rows = {};
  for (const count of clients) {
    const [pages, alone] = [await timed(page, count), await timed(data, count)];
    rows[`${count} at a time`] = {
      'p50 ms': Math.round(percentile(pages, 0.5)),
      'p95 ms': Math.round(percentile(pages, 0.95)),
      'data alone p50 ms': Math.round(percentile(alone, 0.5)),
      'share of data %': Math.round((100 * percentile(alone, 0.5)) / percentile(pages, 0.5)),
      'first page ms': Math.round(first),
      KiB: Math.round((await page()) / 1024),
    };
  }
  return rows;
}
