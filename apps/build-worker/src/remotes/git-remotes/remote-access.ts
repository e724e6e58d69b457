import { Injectable } from '@nestjs/common';
import type { RemoteAccess, RemoteCredential } from '@plinth/git';
import type { RemoteConnection, RemoteKind } from './git-remote.entity';

/** Finds the credential for remotes of one kind. Asked anew for every command, for tokens expire. */
export interface RemoteCredentials {
  /**
   * Undefined for a repository that needs none.
   *
   * @throws AppError `remote.authentication_failed` when there is none although one is needed
   */
  credentialFor(connection: RemoteConnection): Promise<RemoteCredential | undefined>;
}

/** How remotes are opened; every kind registers its own {@link RemoteCredentials} when its module starts. */
@Injectable()
export class RemoteAccesses {
  private readonly providers = new Map<RemoteKind, RemoteCredentials>();

  register(kind: RemoteKind, credentials: RemoteCredentials): void {
    this.providers.set(kind, credentials);
  }

  async accessOf(connection: RemoteConnection): Promise<RemoteAccess> {
    const provider = this.providers.get(connection.kind);
    if (!provider) throw new Error(`Nobody knows credentials for remotes of the kind ${connection.kind}`);
    const credential = await provider.credentialFor(connection);
    return { url: connection.url, ...(credential && { credential }) };
  }
}
