import { Inject, Injectable } from '@nestjs/common';
import type { ConfigOf, databaseSettings } from '@plinth/config';
import { Database, SecretBox, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { generateSshKeyPair, type RemoteCredential } from '@plinth/git';
import { CONFIG } from '@plinth/host';
import { GitRemotesRepository } from './git-remotes.repository';
import type { RemoteConnection } from './git-remote.entity';
import { RemoteAccesses, type RemoteCredentials } from './remote-access';

const contextOf = (deploymentId: number): string => `git-remote:${deploymentId}:private-key`;

/** The key pair of each deployment: made here, sealed at rest, and opened only to sign in at a git server. */
@Injectable()
export class SshRemoteCredentials implements RemoteCredentials {
  private readonly secrets: SecretBox;

  constructor(
    @Inject(CONFIG) { encryptionKeys }: Pick<ConfigOf<typeof databaseSettings>, 'encryptionKeys'>,
    @Inject(Database) private readonly database: Database,
    private readonly remotes: GitRemotesRepository,
    accesses: RemoteAccesses,
  ) {
    this.secrets = new SecretBox(encryptionKeys);
    accesses.register('ssh', this);
  }

  /** Makes a new pair in place of the former one. Returns the public half. */
  async generate(tx: Transaction, tenantId: number, deploymentId: number): Promise<string> {
    const { publicKey, privateKey } = generateSshKeyPair(`plinth-deployment-${deploymentId}`);
    const sealedPrivateKey = this.secrets.seal(privateKey, contextOf(deploymentId));
    await this.remotes.saveKey(tx, { tenantId, deploymentId, publicKey, sealedPrivateKey });
    return publicKey;
  }

  async credentialFor({ tenantId, deploymentId }: RemoteConnection): Promise<RemoteCredential> {
    const remote = await this.database.transaction(tenantId, (tx) => this.remotes.find(tx, deploymentId));
    if (!remote?.sealedPrivateKey) {
      throw new AppError('remote.authentication_failed', 'The deployment has no key pair yet: generate one first');
    }
    return { kind: 'ssh-key', privateKey: this.secrets.open(remote.sealedPrivateKey, contextOf(deploymentId)) };
  }
}
