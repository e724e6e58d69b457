import { Inject, Injectable } from '@nestjs/common';
import type { ConfigOf, databaseSettings } from '@plinth/config';
import { SecretBox } from '@plinth/database';
import { parseRemoteUrl, type RemoteAccess } from '@plinth/git';
import { CONFIG } from '@plinth/host';
import { RemoteAccesses, toRemoteAppError } from '../../remotes';
import type { BuildWorkerConfig } from '../../build-worker.config';
import type { DbtSource } from './dbt-source.entity';

const tokenContext = (deploymentId: number): string => `dbt-source:${deploymentId}:token`;

/** Opens repositories of dbt projects: with their token over HTTPS, with the key pair of the deployment over SSH. */
@Injectable()
export class SourceAccess {
  private readonly secrets: SecretBox;

  constructor(
    @Inject(CONFIG) { encryptionKeys }: Pick<ConfigOf<typeof databaseSettings>, 'encryptionKeys'>,
    @Inject(CONFIG) private readonly config: Pick<BuildWorkerConfig, 'gitAllowInsecureRemotes'>,
    private readonly accesses: RemoteAccesses,
  ) {
    this.secrets = new SecretBox(encryptionKeys);
  }

  /** @throws AppError `remote.invalid_url` (400) */
  requireUrl(url: string): void {
    this.parsed(url);
  }

  sealToken(deploymentId: number, token: string): string {
    return this.secrets.seal(token, tokenContext(deploymentId));
  }

  /** Whether a token for one address may go to the other. */
  isSameServer(one: string, other: string): boolean {
    const [a, b] = [this.parsed(one), this.parsed(other)];
    return a.protocol === b.protocol && a.host === b.host && a.port === b.port;
  }

  /** @throws AppError `remote.invalid_url`, `remote.authentication_failed` (400) */
  async accessOf({ tenantId, deploymentId, url, sealedToken, settings }: DbtSource): Promise<RemoteAccess> {
    if (this.parsed(url).protocol === 'ssh') {
      return this.accesses.accessOf({ tenantId, deploymentId, kind: 'ssh', url, installationId: null });
    }
    if (sealedToken === null) return { url };
    const password = this.secrets.open(sealedToken, tokenContext(deploymentId));
    return { url, credential: { kind: 'basic', username: settings.username, password } };
  }

  /** A package on the server of its project is read as the project is; others as anybody would. */
  async accessOfPackage(source: DbtSource, url: string): Promise<RemoteAccess> {
    return this.isSameServer(source.url, url) ? this.accessOf({ ...source, url }) : { url };
  }

  private parsed(url: string): ReturnType<typeof parseRemoteUrl> {
    try {
      return parseRemoteUrl(url, { allowInsecure: this.config.gitAllowInsecureRemotes });
    } catch (error) {
      throw toRemoteAppError(error);
    }
  }
}
