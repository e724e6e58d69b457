import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { parseRemoteUrl, sshFingerprint } from '@plinth/git';
import { CONFIG } from '@plinth/host';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { DataModelsService } from '../../provisioning';
import type { BuildWorkerConfig } from '../../build-worker.config';
import type { GitRemote } from './git-remote.entity';
import { GitRemotesRepository } from './git-remotes.repository';
import { RemoteAttachmentService } from './remote-attachment.service';
import { toRemoteAppError } from './remote-errors';
import { RemoteTasksRepository, type FailedTask } from './remote-tasks.repository';
import { isConnected } from './remotes.service';
import { SshRemoteCredentials } from './ssh-remote-credentials';

type Remote = ReplyOf<'getGitRemote'>;

const MAX_SHOWN_TASKS = 100;
const TOKEN_HEADERS = ['x-webhook-token', 'x-gitlab-token'];
const WEBHOOKS_PER_MINUTE = 30;

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
const webhookUrlOf = (deploymentId: number): string => `/build/api/v1/deployments/${deploymentId}/git-remote/webhook`;

/** What an administrator does with the Git remote of a deployment, and what its provider says. */
@Injectable()
export class GitRemotesService {
  private readonly webhooks = new RateLimiterMemory({ points: WEBHOOKS_PER_MINUTE, duration: 60 });

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Pick<BuildWorkerConfig, 'gitAllowInsecureRemotes'>,
    private readonly models: DataModelsService,
    private readonly remotes: GitRemotesRepository,
    private readonly tasks: RemoteTasksRepository,
    private readonly credentials: SshRemoteCredentials,
    private readonly attachments: RemoteAttachmentService,
  ) {}

  async read(principal: Principal, deploymentId: number): Promise<Remote> {
    const { settings } = await this.models.open(principal.tenantId, deploymentId);
    const [remote, failed] = await this.database.transaction(principal.tenantId, async (tx) => [
      await this.remotes.find(tx, deploymentId),
      await this.tasks.listFailed(tx, deploymentId, MAX_SHOWN_TASKS),
    ]);
    return {
      deployBranchName: settings.deployBranchName,
      deployProjectRoot: settings.deployProjectRoot,
      ...shown(deploymentId, remote, failed),
    };
  }

  async connect(principal: Principal, deploymentId: number, body: BodyOf<'connectGitRemote'>): Promise<Remote> {
    await this.models.open(principal.tenantId, deploymentId);
    this.requireSsh(body.url);
    await this.attachments.attach(principal, deploymentId, { ...body, kind: 'ssh', installationId: null });
    return this.read(principal, deploymentId);
  }

  async disconnect(principal: Principal, deploymentId: number): Promise<{ success: boolean }> {
    await this.models.open(principal.tenantId, deploymentId);
    await this.attachments.detach(principal, deploymentId);
    return { success: true };
  }

  async generateKey(principal: Principal, deploymentId: number): Promise<Remote> {
    await this.models.open(principal.tenantId, deploymentId);
    await this.database.mutate(principal, (tx) => this.credentials.generate(tx, principal.tenantId, deploymentId));
    return this.read(principal, deploymentId);
  }

  async regenerateWebhookToken(
    principal: Principal,
    deploymentId: number,
  ): Promise<ReplyOf<'regenerateGitRemoteWebhookToken'>> {
    await this.models.open(principal.tenantId, deploymentId);
    return this.database.mutate(principal, async (tx) => {
      const token = `pgw_${randomBytes(24).toString('base64url')}`;
      await this.remotes.saveWebhookToken(tx, principal.tenantId, deploymentId, hashOf(token));
      return { webhookUrl: webhookUrlOf(deploymentId), token };
    });
  }

  /**
   * @throws AppError `auth.credential_invalid` (401) unless the token is the deployment's, `request.rate_limited` (429)
   */
  async receiveWebhook(
    principal: Principal,
    deploymentId: number,
    { token }: QueryOf<'receiveGitRemoteWebhook'>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ success: boolean }> {
    const presented = token ?? TOKEN_HEADERS.map((name) => headers[name]).find((value) => value !== undefined) ?? '';
    return this.database.mutate(principal, async (tx) => {
      await this.requireToken(tx, deploymentId, presented);
      await this.limit(principal.tenantId, deploymentId);
      await this.tasks.requestSync(tx, deploymentId);
      return { success: true };
    });
  }

  /** Who has no token learns nothing of the deployment, not even whether it exists. */
  private async requireToken(tx: Transaction, deploymentId: number, presented: string): Promise<void> {
    const remote = await this.remotes.find(tx, deploymentId);
    const expected = Buffer.from(remote?.webhookTokenHash ?? hashOf(randomBytes(24).toString('hex')));
    if (timingSafeEqual(Buffer.from(hashOf(presented)), expected)) return;
    throw new AppError('auth.credential_invalid', 'The token is not that of a webhook');
  }

  private async limit(tenantId: number, deploymentId: number): Promise<void> {
    const allowed = await this.webhooks.consume(`${tenantId}/${deploymentId}`).then(
      () => true,
      () => false,
    );
    if (allowed) return;
    throw new AppError('request.rate_limited', 'Too many pushes at once; a synchronisation is queued already', {
      retryAfterSeconds: 60,
    });
  }

  private requireSsh(url: string): void {
    const allowInsecure = this.config.gitAllowInsecureRemotes;
    try {
      const { protocol } = parseRemoteUrl(url, { allowInsecure });
      if (protocol === 'ssh' || allowInsecure) return;
    } catch (error) {
      throw toRemoteAppError(error);
    }
    throw new AppError('remote.invalid_url', 'Give an address for SSH, as in ssh://git@host/path');
  }
}

function shown(
  deploymentId: number,
  remote: GitRemote | null,
  failed: readonly FailedTask[],
): Omit<Remote, 'deployBranchName' | 'deployProjectRoot'> {
  const { kind = null, url = null, publicKey = null, lastError = null } = remote ?? {};
  return {
    connected: remote !== null && isConnected(remote),
    kind,
    url,
    publicKey,
    keyFingerprint: publicKey && sshFingerprint(publicKey),
    webhookUrl: webhookUrlOf(deploymentId),
    hasWebhookToken: Boolean(remote?.webhookTokenHash),
    lastSyncedAt: remote?.lastSyncedAt?.toISOString() ?? null,
    lastError,
    failedTasks: failed.map(({ branchName, errorText, nextAttemptAt, ...task }) => ({
      ...task,
      branchName: branchName || null,
      error: errorText,
      nextAttemptAt: nextAttemptAt.toISOString(),
    })),
  };
}
