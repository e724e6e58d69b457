import { Inject, Injectable } from '@nestjs/common';
import type { ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { CONFIG } from '@plinth/host';
import { failpoint } from '@plinth/observability';
import { z } from 'zod';
import { isSigned } from '../body-signature';
import { GitRemotesRepository } from '../git-remotes/git-remotes.repository';
import { RemoteTasksRepository } from '../git-remotes/remote-tasks.repository';
import type { GithubConfig } from './github-client';
import { GithubDeliveriesRepository } from './github-deliveries.repository';
import { GithubInstallationsRepository } from './github-installations.repository';
import { isSameRepository } from './repository-address';
import { readEvent, type WebhookEvent } from './webhook-event';

type Receipt = ReplyOf<'receiveGitHubWebhook'>;

const deliveryId = z.guid();

/**
 * Takes the events of GitHub. What an event asks for is stored with the delivery in one transaction before GitHub hears
 * that it arrived, so nothing is lost or done twice; the work itself is claimed by the workers afterwards.
 */
@Injectable()
export class GithubWebhookService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(CONFIG) private readonly config: GithubConfig,
    private readonly deliveries: GithubDeliveriesRepository,
    private readonly installations: GithubInstallationsRepository,
    private readonly remotes: GitRemotesRepository,
    private readonly tasks: RemoteTasksRepository,
  ) {}

  /** @throws AppError `github.not_configured` (409), `github.signature_invalid` (401), `request.invalid` (400) */
  async receive(headers: Readonly<Record<string, string>>, body: Buffer): Promise<Receipt> {
    this.requireSignature(headers, body);
    const delivery = deliveryId.safeParse(headers['x-github-delivery']);
    const event = eventOf(headers['x-github-event'] ?? '', body);
    if (!delivery.success) throw new AppError('request.invalid', 'X-GitHub-Delivery is not an identity');
    if (!event) return { effect: 'ignored' };
    const isNew = await this.database.asSystem(async (tx) => {
      if (!(await this.deliveries.insert(tx, delivery.data))) return false;
      await this.record(tx, event);
      failpoint('github.before-receipt');
      return true;
    });
    return { effect: isNew ? 'accepted' : 'repeated' };
  }

  private requireSignature(headers: Readonly<Record<string, string>>, body: Buffer): void {
    const { githubWebhookSecret } = this.config;
    if (!githubWebhookSecret) throw new AppError('github.not_configured', 'Webhooks of GitHub are not set up here');
    if (!isSigned(body, headers['x-hub-signature-256'] ?? '', githubWebhookSecret)) {
      throw new AppError('github.signature_invalid', 'The signature does not fit the body');
    }
  }

  private async record(tx: Transaction, event: WebhookEvent): Promise<void> {
    const { kind, installationId } = event;
    if (kind === 'push') return this.requestSyncs(tx, installationId, event.cloneUrl);
    if (kind === 'removed') return this.installations.remove(tx, installationId);
    await this.installations.setSuspended(tx, installationId, kind === 'suspended' ? new Date() : null);
    if (kind === 'resumed') await this.requestSyncs(tx, installationId);
  }

  /** Of every deployment that is connected to the repository, whatever its tenant. */
  private async requestSyncs(tx: Transaction, installationId: number, cloneUrl?: string): Promise<void> {
    for (const { deploymentId, url } of await this.remotes.listOfInstallation(tx, installationId)) {
      if (url === null || (cloneUrl !== undefined && !isSameRepository(url, cloneUrl))) continue;
      await this.tasks.requestSync(tx, deploymentId);
    }
  }
}

function eventOf(name: string, body: Buffer): WebhookEvent | undefined {
  try {
    return readEvent(name, body);
  } catch (error) {
    throw new AppError('request.malformed_body', 'The body is not JSON', { cause: error });
  }
}
