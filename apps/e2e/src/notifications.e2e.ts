import { pdfTexts, startSmtpServer, until, type SmtpServer, type TakenMail } from '@plinth/testing';
import type { ApiClient } from './harness/api-client';
import { CityOrders, type Citizen } from './harness/city-orders';
import { startSeparateServices } from './harness/separate-services';
import type { Topology } from './harness/topology';

const ARRIVES_WITHIN_MS = 120_000;

/** The file of that kind in a mail. */
function attachment(source: string, contentType: string): Buffer {
  const [, part = ''] = source.split(`Content-Type: ${contentType};`);
  const [, content = ''] = part.split(/\r?\n\r?\n/);
  return Buffer.from(content, 'base64');
}

/** A day of the month on which no run begins by itself while the test goes on. */
const farFromToday = (): number => ((new Date().getUTCDate() + 13) % 28) + 1;

const unfolded = (source: string): string => source.replaceAll(/\r?\n[ \t]+/g, ' ');

describe('notifications by mail', () => {
  let topology: Topology;
  let admin: ApiClient;
  let mail: SmtpServer;
  let orders: CityOrders;
  let lyon: Citizen;
  let pune: Citizen;

  beforeAll(async () => {
    mail = await startSmtpServer({
      refuse: (address) =>
        address.startsWith('nobody') ? { responseCode: 550, message: 'no such mailbox' } : undefined,
    });
    const environment = { PLINTH_SMTP_URL: mail.url };
    topology = await startSeparateServices({ buildWorkers: 1, services: ['workspace'], environment });
    ({ admin } = topology);
    await admin.call('updateTenantSettings', { body: { auditLogEnabled: true } });
    orders = await CityOrders.open(topology);
    [lyon, pune] = [await orders.citizen('Lyon'), await orders.citizen('Pune')];
  });
  afterAll(async () => {
    await orders?.close();
    await topology?.stop();
    await mail?.stop();
  });

  async function notification(recipients: readonly { type: 'USER'; userId: number }[]): Promise<number> {
    const { path } = orders.shop;
    const body = {
      ...{ dashboardId: orders.dashboardId, notificationFormat: 'pdf' as const },
      ...{ scheduleType: 'MONTHLY' as const, dayOfMonth: farFromToday(), hour: 9, minute: 0 },
    };
    const { id } = await admin.call('createNotification', { path, body });
    await admin.call('addRecipients', { path: { ...path, id }, body: { recipients: [...recipients] } });
    return id;
  }
  async function runOf(id: number) {
    const path = { ...orders.shop.path, id };
    await admin.call('runNotificationNow', { path });
    const { items } = await until(
      'the end of the run',
      () => admin.call('getNotificationRuns', { path }),
      ({ items: [latest] }) => latest?.endedAt != null,
      ARRIVES_WITHIN_MS,
    );
    return items[0];
  }
  const to = ({ email }: { email: string }): TakenMail[] => mail.taken.filter((taken) => taken.to === email);
  const recipient = ({ id }: Citizen) => ({ type: 'USER' as const, userId: id });

  it('bring each recipient one picture with their own numbers', async () => {
    const run = await runOf(await notification([lyon, pune].map(recipient)));
    expect(run).toMatchObject({ outcome: 'DELIVERED', subjects: 2, recipients: { planned: 2, delivered: 2 } });
    const [inLyon, inPune] = [await orders.counted(`c.city = 'Lyon'`), await orders.counted(`c.city = 'Pune'`)];
    for (const [citizen, own, others] of [
      [lyon, inLyon, inPune],
      [pune, inPune, inLyon],
    ] as const) {
      const [letter, ...more] = to(citizen);
      expect(more).toEqual([]);
      expect(letter?.source).toMatch(/^Subject: Orders of a city/m);
      const texts = pdfTexts(attachment(letter?.source ?? '', 'application/pdf'));
      expect(texts).toEqual(expect.arrayContaining(['Orders of a city', own]));
      expect(texts).not.toContain(others);
    }
  });

  it('end with one click by whoever has the mail, without signing in, and it is written down', async () => {
    const id = await notification([lyon, pune].map(recipient));
    await runOf(id);
    const source = unfolded(to(lyon).at(-1)?.source ?? '');
    const [, link = ''] = /^List-Unsubscribe: <([^>]+)>/m.exec(source) ?? [];
    expect(source).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m);
    const { pathname, search } = new URL(link);
    const clicked = await fetch(`${admin.baseUrl}${pathname}${search}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
    expect(clicked.status).toBe(200);
    const { items } = await admin.call('getRecipients', { path: { ...orders.shop.path, id } });
    expect(items).toMatchObject([{ userId: pune.id }]);
    const event = await until(
      'the audit event',
      async () => JSON.stringify(await admin.call('exportAuditLogs')).match(/Unsubscribed from notification.*/)?.[0],
      (found) => found !== undefined,
    );
    expect(event).not.toContain(lyon.email);
  });

  it('reach the others when the server refuses one for good, and say so', async () => {
    const words = ['--tenant', topology.tenant, '--email', `nobody-${topology.tenant}@orders.test`, '--role', 'Admin'];
    const { apiKey } = await topology.plinth('api-keys', 'create', ...words);
    const { id: userId } = await admin.as(`Bearer ${String(apiKey)}`).call('getCurrentUser');
    const before = to(pune).length;
    const run = await runOf(await notification([{ type: 'USER', userId }, recipient(pune)]));
    expect(run).toMatchObject({ outcome: 'PARTLY_DELIVERED', recipients: { delivered: 1, failed: 1 } });
    expect(run?.reason).toContain('550');
    expect(to(pune)).toHaveLength(before + 1);
  });
});
