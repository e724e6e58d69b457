import { Injectable } from '@nestjs/common';
import { AppError } from '@plinth/errors';
import type { RemoteCredential } from '@plinth/git';
import type { RemoteConnection } from '../git-remotes/git-remote.entity';
import { RemoteAccesses, type RemoteCredentials } from '../git-remotes/remote-access';
import { GithubApp } from './github-app';
import { GithubCatalogueService } from './github-catalogue.service';
import { installationMissing } from './github-client';
import { repositoryNameOf } from './repository-address';

/**
 * Opens repositories at GitHub with a token of the installation that is good for an hour and for the one repository.
 * It stays in memory, and is refused once the installation is no longer linked to the tenant.
 */
@Injectable()
export class GithubRemoteCredentials implements RemoteCredentials {
  constructor(
    private readonly app: GithubApp,
    private readonly catalogue: GithubCatalogueService,
    accesses: RemoteAccesses,
  ) {
    accesses.register('github', this);
  }

  async credentialFor({ tenantId, installationId, url }: RemoteConnection): Promise<RemoteCredential> {
    if (installationId === null) throw new AppError(installationMissing.code, installationMissing.message);
    await this.catalogue.requireLinked(tenantId, installationId);
    const { token } = await this.app.client.repositoryToken(installationId, repositoryNameOf(url));
    return { kind: 'basic', username: 'x-access-token', password: token };
  }
}
