import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Database, SecretBox, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { mailAddress, newMessageId } from '@plinth/mail';
import pLimit from 'p-limit';
import { Subjects } from '../pictures';
import { DeliveriesRepository, type NewDelivery, type NewPicture } from './deliveries.repository';
import { MailDirectory } from './mail-directory.service';
import { RecipientsRepository, type Recipient } from './recipients.repository';
import { RunsRepository, type ClaimedRun } from './runs.repository';

/** A recipient as found when the run is planned: an address and what their queries run under, or why there is no mail. */
type Found = { address: string; context: Record<string, unknown> } | { failure: string };
type Addresses = ReadonlyMap<number, string>;

const AT_ONCE = 8;
const PAGE = 1_000;

/** Settles, once for each run, who gets a mail, under which message id and with which picture. */
@Injectable()
export class RunPlanner {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly runs: RunsRepository,
    private readonly recipients: RecipientsRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly directory: MailDirectory,
    private readonly subjects: Subjects,
    @Inject(SecretBox) private readonly secrets: SecretBox,
  ) {}

  /** @param sender address that mails come from */
  async plan(run: ClaimedRun, sender: string, signal: AbortSignal): Promise<void> {
    const all = await this.recipientsOf(run);
    const addresses = await this.addressesOf(run.tenantId, all);
    const limit = pLimit(AT_ONCE);
    const pictures = new Map<string, NewPicture>();
    const found = await Promise.all(all.map((each) => limit(() => this.find(run, each, addresses, signal))));
    const deliveries = found.map((one, index): NewDelivery => {
      const recipientId = all[index]?.id ?? null;
      const base = { recipientId, messageId: newMessageId(sender) };
      if ('failure' in one) return { ...base, subjectKey: '', address: '', failure: one.failure };
      const text = canonical(one.context);
      const subjectKey = createHash('sha256').update(text).digest('hex');
      if (!pictures.has(subjectKey)) {
        pictures.set(subjectKey, { subjectKey, securityContext: this.secrets.seal(text, contextName(run)) });
      }
      return { ...base, subjectKey, address: one.address };
    });
    await this.database.transaction(run.tenantId, (tx) => this.store(tx, run, deliveries, [...pictures.values()]));
  }

  private async store(
    tx: Transaction,
    run: ClaimedRun,
    deliveries: readonly NewDelivery[],
    pictures: readonly NewPicture[],
  ): Promise<void> {
    // Whoever has the run now has planned it, or will.
    if (await this.runs.setPlanned(tx, run, pictures.length)) await this.deliveries.plan(tx, run, deliveries, pictures);
  }

  /** For a preview, whoever asked for it. */
  private async recipientsOf({ tenantId, notificationId, cause, requestedBy }: ClaimedRun) {
    if (cause === 'PREVIEW') return [{ id: null, type: 'USER' as const, userId: requestedBy ?? 0 }];
    const all: Recipient[] = [];
    for (let page: Recipient[] = []; all.length === 0 || page.length === PAGE; all.push(...page)) {
      const beforeId = all.at(-1)?.id;
      page = await this.database.transaction(tenantId, (tx) =>
        this.recipients.list(tx, notificationId, PAGE, beforeId),
      );
      if (page.length === 0) break;
    }
    return all;
  }

  /** Of users who are active, as they are now. */
  private async addressesOf(tenantId: number, all: readonly { userId: number | null }[]): Promise<Addresses> {
    const ids = all.flatMap(({ userId }) => userId ?? []);
    const found = new Map<number, string>();
    for (let at = 0; at < ids.length; at += PAGE) {
      const { users } = await this.directory.users(tenantId, { userIds: ids.slice(at, at + PAGE) });
      for (const { id, email } of users) found.set(id, email);
    }
    return found;
  }

  private async find(
    { tenantId, deploymentId }: ClaimedRun,
    recipient: Recipient | { type: 'USER'; userId: number },
    addresses: Addresses,
    signal: AbortSignal,
  ): Promise<Found> {
    signal.throwIfAborted();
    try {
      if (recipient.type === 'EMBED_USER') {
        const subject = await this.directory.subjectOf(tenantId, recipient);
        return reachable(recipient.email, subject?.securityContext);
      }
      const { userId } = recipient;
      const viewer = await this.subjects.viewerOf(tenantId, deploymentId, { type: 'USER', userId });
      return reachable(addresses.get(userId), viewer.securityContext);
    } catch (error) {
      // What is wrong with one recipient is no reason to keep mail from others.
      if (error instanceof AppError && error.status < 500 && error.code !== 'environment.not_found') {
        return { failure: error.message };
      }
      throw error;
    }
  }
}

/** What a sealed security context belongs to. */
export const contextName = ({ id }: Pick<ClaimedRun, 'id'>): string => `notification-run:${id}`;

function reachable(text: string | undefined, context: Record<string, unknown> | undefined): Found {
  const address = text === undefined ? undefined : mailAddress(text);
  if (context === undefined || text === undefined) return { failure: 'The recipient is deactivated or gone' };
  return address === undefined ? { failure: 'The recipient has no address for mail' } : { address, context };
}

/** The same text for the same value, in whatever order it was written. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) =>
    each !== null && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([left], [right]) => (left < right ? -1 : 1)))
      : each,
  );
