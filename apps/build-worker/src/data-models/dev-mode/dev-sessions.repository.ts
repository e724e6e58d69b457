import { BaseRepository, type Transaction } from '@plinth/database';
import { DevSession } from './dev-session.entity';

export class DevSessionsRepository extends BaseRepository {
  /** Opens the session, or moves the open one to the branch. */
  async open(tx: Transaction, session: Omit<DevSession, 'startedAt'>): Promise<void> {
    await this.managerFor(tx).upsert(DevSession, { ...session, startedAt: new Date() }, [
      'tenantId',
      'deploymentId',
      'credentialId',
    ]);
  }

  /** Takes the credential's session from one branch to another; nothing when it is open elsewhere. */
  async move(
    tx: Transaction,
    { toBranchId, ...session }: Pick<DevSession, 'deploymentId' | 'credentialId' | 'branchId'> & { toBranchId: number },
  ): Promise<void> {
    await this.managerFor(tx).update(DevSession, session, { branchId: toBranchId });
  }

  async isOpen(tx: Transaction, branchId: number): Promise<boolean> {
    return this.managerFor(tx).existsBy(DevSession, { branchId });
  }

  /** Ends the credential's session; only one on `branchId` when that is given. */
  async end(tx: Transaction, deploymentId: number, credentialId: string, branchId?: number): Promise<void> {
    await this.managerFor(tx).delete(DevSession, {
      deploymentId,
      credentialId,
      ...(branchId !== undefined && { branchId }),
    });
  }
}
