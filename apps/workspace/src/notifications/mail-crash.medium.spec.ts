import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createTestDatabase, startChild, startSmtpServer, until, type SmtpServer } from '@plinth/testing';
import { putDashboard } from '../testing/dashboard-content';
import type { NotificationOrder } from '../testing/notification-child';
import { workspaceSchema } from '../workspace.schema';
import { NotificationsRepository } from './notifications.repository';
import { RecipientsRepository, type NewRecipient } from './recipients.repository';

const where = { tenantId: 1, deploymentId: 1 };
const recipients = Array.from({ length: 200 }, (_none, index) => `reader-${index}@example.com`);
const program = require.resolve('../testing/notification-child');

describe('mails of a notification to 200 recipients', () => {
  const children: ReturnType<typeof startChild>[] = [];
  let server: Awaited<ReturnType<typeof createTestDatabase>>;
  let smtp: SmtpServer;

  beforeAll(async () => {
    server = await createTestDatabase(workspaceSchema);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await smtp?.stop();
  });
  afterAll(() => server?.drop());

  const sql = <Row>(text: string): Promise<Row[]> => server.database.readAsSystem<Row>({ name: '', text });

  async function putNotification(): Promise<number> {
    const { dashboardId } = await putDashboard(server.database, where);
    return server.database.transaction(where.tenantId, async (tx) => {
      const fields = { cron: '0 0 1 1 *', timeZone: 'UTC', nextRunAt: new Date(0), isEnabled: true, sendsMail: true };
      const contents = { format: 'png' as const, hasAiSummary: false, filters: null, timeGrains: null };
      const notification = { ...where, ...fields, ...contents, dashboardId, memberSwitchers: null, createdBy: null };
      const { id } = await new NotificationsRepository().insert(tx, notification);
      const all = recipients.map((externalId, index) => ({
        ...{ type: 'EMBED_USER', userId: null, embedUserId: index + 1, embedTenantName: 'acme', externalId },
        ...{ email: externalId, groups: null, userAttributes: null, securityContext: null },
      })) as NewRecipient[];
      await new RecipientsRepository().insert(tx, where.tenantId, id, all);
      return id;
    });
  }

  async function startReplica(order: Omit<NotificationOrder, 'tenantId' | 'deploymentId' | 'recipients'>) {
    const child = startChild(program, { ...where, ...order, recipients });
    children.push(child);
    await once(child.stdout, 'data');
    return child;
  }

  it('arrive once and all, whatever is killed or restarted meanwhile', async () => {
    const taken: { to: string; messageId: string }[] = [];
    let killNow: () => void = () => undefined;
    const killed = new Promise<void>((resolve) => (killNow = resolve));
    let stopNow: () => void = () => undefined;
    const stopped = new Promise<void>((resolve) => (stopNow = resolve));
    const take = async (mail: { to: string; messageId: string }): Promise<void> => {
      taken.push(mail);
      if (taken.length === 60) {
        killNow();
        // The replica dies before it hears that this one was taken.
        await new Promise(() => undefined);
      }
      if (taken.length === 130) stopNow();
    };
    smtp = await startSmtpServer({ beforeAnswer: take });
    const id = await putNotification();
    const premises = { url: server.url, encryptionKey: randomBytes(32).toString('base64') };
    const doomed = await startReplica({ premises, smtpUrl: smtp.url });
    await killed;
    doomed.kill('SIGKILL');
    await once(doomed, 'exit');
    const [{ sending } = { sending: 0 }] = await sql<{ sending: number }>(
      `select count(*)::int as sending from notification_delivery where state = 'sending'`,
    );
    expect(sending).toBeGreaterThan(0);
    await Promise.all([startReplica({ premises, smtpUrl: smtp.url }), startReplica({ premises, smtpUrl: smtp.url })]);
    await sql(`update notification_run set lease_expires_at = now() - interval '1 second'`);
    await stopped;
    const { port } = smtp;
    await smtp.stop();
    smtp = await startSmtpServer({ port, beforeAnswer: take });
    await until(
      'the end of the run',
      async () => {
        await sql(`update notification_delivery set next_attempt_at = now() where state in ('planned', 'sending')`);
        await sql(`update notification_run set next_attempt_at = now() where ended_at is null and claim_id is null`);
        return sql<{ outcome: string }>('select outcome, reason from notification_run');
      },
      (runs) => runs.length === 1 && runs[0]?.outcome !== 'PENDING',
      90_000,
    );
    expect(await sql(`select notification_id as id, outcome from notification_run`)).toEqual([
      { id, outcome: 'DELIVERED' },
    ]);
    const messages = new Set(taken.map(({ to, messageId }) => `${to} ${messageId}`));
    expect(messages.size).toBe(recipients.length);
    expect(new Set(taken.map(({ to }) => to))).toEqual(new Set(recipients));
    expect(await sql('select from notification_picture')).toEqual([]);
  });
});
