// (m) A thousand notifications that are due in the same minute, of twenty dashboards, to a real mail server.
import pg from 'pg';
import { percentile, send } from './client.mjs';
import { publishDashboard } from './dashboard.mjs';
import { awake, createShop, openShop } from './data-shop.mjs';
import { growthDuring } from './memory.mjs';
import { dist, processIdOf, startPlatform, startPostgres, stopWithTheRest, temporaryFolder } from './processes.mjs';

const notifications = 1_000;
const dashboards = 20;
const kinds = ['vega', 'table', 'kpi'];
const dueAfterS = 5;
const givenUpMs = 1_800_000;

/** A mail server that keeps when each mail came. */
async function startMail() {
  const { startSmtpServer } = dist('libs/testing/src/smtp-server');
  const arrived = [];
  const ids = new Set();
  let done;
  const all = new Promise((resolve) => (done = resolve));
  const server = await startSmtpServer({
    beforeAnswer: ({ messageId }) => {
      arrived.push(Date.now());
      ids.add(messageId);
      if (ids.size === notifications) done();
    },
  });
  stopWithTheRest(() => server.stop());
  return { url: server.url, arrived, ids, all };
}

async function createNotifications(url, api) {
  const { id: userId } = await send(url, 'GET', '/api/v1/users/me');
  const recipients = [{ type: 'USER', userId }];
  for (let dashboard = 0; dashboard < dashboards; dashboard += 1) {
    const { id: dashboardId } = await publishDashboard(url, api, kinds);
    for (let count = 0; count < notifications / dashboards; count += 1) {
      const body = { dashboardId, scheduleType: 'MONTHLY', dayOfMonth: 1 };
      const { id } = await send(url, 'POST', `${api}/notifications`, body);
      await send(url, 'POST', `${api}/notifications/${id}/recipients`, { recipients });
    }
  }
}

/** Has all of them due at the same moment, as a full hour would; resolves with that moment. */
async function makeDue(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(
    `update workspace.notification set next_run_at = now() + make_interval(secs => $1) returning next_run_at`,
    [dueAfterS],
  );
  await client.end();
  return rows[0].next_run_at.getTime();
}

export async function benchNotifications() {
  const databaseUrl = await startPostgres();
  const shop = await createShop(databaseUrl);
  const { sampleShopModel } = dist('libs/sample-shop/src');
  const mail = await startMail();
  const settings = { PLINTH_SMTP_URL: mail.url, PLINTH_NOTIFICATION_MAILS_PER_MINUTE: '100000' };
  const url = await startPlatform(databaseUrl, temporaryFolder('storage'), settings);
  const { path, token } = await openShop(url, shop, await sampleShopModel());
  await createNotifications(url, `/api/v1${path}`);
  await awake(`${url}${path}`, token);
  const pids = [processIdOf('dist/apps/platform/src/platform-process.js')];
  const late = new Promise((_, fail) => setTimeout(() => fail(new Error('mails are missing')), givenUpMs).unref());
  const { result: due, growth } = await growthDuring(pids, async () => {
    const moment = await makeDue(databaseUrl);
    await Promise.race([mail.all, late]);
    return moment;
  });
  const waited = mail.arrived.map((moment) => (moment - due) / 1_000);
  const seconds = Math.max(...waited);
  return {
    [`${notifications} of ${dashboards} dashboards`]: {
      mails: mail.arrived.length,
      'different ids': mail.ids.size,
      'p50 s': percentile(waited, 0.5).toFixed(1),
      'last s': seconds.toFixed(1),
      'mails/s': (notifications / seconds).toFixed(1),
      'growth MiB': Math.round(growth[0]),
    },
  };
}
