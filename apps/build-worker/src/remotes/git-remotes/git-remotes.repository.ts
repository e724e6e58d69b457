import { BaseRepository, type Transaction } from '@plinth/database';
import { Not, IsNull } from 'typeorm';
import { GitRemote, type RemoteConnection } from './git-remote.entity';

const MAX_ERROR_TEXT = 4_000;

export class GitRemotesRepository extends BaseRepository {
  find(tx: Transaction, deploymentId: number): Promise<GitRemote | null> {
    return this.managerFor(tx).findOneBy(GitRemote, { deploymentId });
  }

  findConnected(tx: Transaction, deploymentId: number): Promise<GitRemote | null> {
    return this.managerFor(tx).findOneBy(GitRemote, { deploymentId, connectedAt: Not(IsNull()) });
  }

  /** Deployments of all tenants that are connected through an installation of the GitHub App; needs the system role. */
  listOfInstallation(tx: Transaction, installationId: number): Promise<GitRemote[]> {
    return this.managerFor(tx).findBy(GitRemote, { installationId, connectedAt: Not(IsNull()) });
  }

  async connect(tx: Transaction, connection: RemoteConnection): Promise<void> {
    const { tenantId, deploymentId, kind, url, installationId } = connection;
    await this.managerFor(tx).query(
      `insert into git_remote (tenant_id, deployment_id, kind, url, installation_id, connected_at, last_synced_at)
       values ($1, $2, $3, $4, $5, now(), now())
       on conflict (deployment_id) do update set kind = excluded.kind, url = excluded.url,
         installation_id = excluded.installation_id, connected_at = now(), last_synced_at = now(), last_error = null`,
      [tenantId, deploymentId, kind, url, installationId],
    );
  }

  async saveKey(
    tx: Transaction,
    {
      tenantId,
      deploymentId,
      publicKey,
      sealedPrivateKey,
    }: Pick<GitRemote, 'tenantId' | 'deploymentId' | 'publicKey' | 'sealedPrivateKey'>,
  ): Promise<void> {
    await this.managerFor(tx).query(
      `insert into git_remote (tenant_id, deployment_id, kind, public_key, sealed_private_key) values ($1, $2, 'ssh', $3, $4)
       on conflict (deployment_id) do update
         set public_key = excluded.public_key, sealed_private_key = excluded.sealed_private_key`,
      [tenantId, deploymentId, publicKey, sealedPrivateKey],
    );
  }

  async saveWebhookToken(tx: Transaction, tenantId: number, deploymentId: number, hash: string): Promise<void> {
    await this.managerFor(tx).query(
      `insert into git_remote (tenant_id, deployment_id, kind, webhook_token_hash) values ($1, $2, 'ssh', $3)
       on conflict (deployment_id) do update set webhook_token_hash = excluded.webhook_token_hash`,
      [tenantId, deploymentId, hash],
    );
  }

  /** The key pair and the webhook's token stay for the next connection. */
  async disconnect(tx: Transaction, deploymentId: number): Promise<void> {
    const manager = this.managerFor(tx);
    await manager.update(GitRemote, { deploymentId }, { connectedAt: null, installationId: null, lastError: null });
    await manager.query('delete from remote_task where deployment_id = $1', [deploymentId]);
  }

  async recordSync(tx: Transaction, deploymentId: number, error: string | null): Promise<void> {
    const lastError = error?.slice(0, MAX_ERROR_TEXT) ?? null;
    await this.managerFor(tx).update(GitRemote, { deploymentId }, { lastError, lastSyncedAt: () => 'now()' });
  }
}
