import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { normaliseFolder } from '@plinth/git';
import { DataModelsService } from '../../provisioning';
import { GitRemotesRepository } from '../../remotes';
import type { DbtSource } from './dbt-source.entity';
import { DbtSourcesRepository } from './dbt-sources.repository';
import { SourceAccess } from './source-access';
import { DEFAULT_SETTINGS, settingsOf } from './source-settings';
import { webhookUrlOf } from './webhook-url';

type Shown = ReplyOf<'getDbtSource'>;

/** What an administrator does with the dbt project of a deployment. */
@Injectable()
export class DbtSourcesService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly models: DataModelsService,
    private readonly sources: DbtSourcesRepository,
    private readonly remotes: GitRemotesRepository,
    private readonly access: SourceAccess,
  ) {}

  async read(principal: Principal, deploymentId: number): Promise<Shown> {
    await this.models.open(principal.tenantId, deploymentId);
    const [source, remote] = await this.database.transaction(principal.tenantId, async (tx) => [
      await this.sources.find(tx, deploymentId),
      await this.remotes.find(tx, deploymentId),
    ]);
    return shown(deploymentId, source, remote?.publicKey ?? null);
  }

  async put(principal: Principal, deploymentId: number, body: BodyOf<'putDbtSource'>): Promise<Shown> {
    const { tenantId } = principal;
    this.access.requireUrl(body.url);
    const settings = { ...settingsOf(body), projectPath: folderOf(body.projectPath) };
    await this.models.open(tenantId, deploymentId);
    await this.database.mutate(principal, async (tx) => {
      const sealedToken = this.tokenFor(deploymentId, body, await this.sources.find(tx, deploymentId));
      await this.sources.save(tx, { tenantId, deploymentId, url: body.url, settings, sealedToken });
      return { success: true };
    });
    return this.read(principal, deploymentId);
  }

  async remove(principal: Principal, deploymentId: number): Promise<{ success: boolean }> {
    await this.models.open(principal.tenantId, deploymentId);
    return this.database.mutate(principal, async (tx) => {
      if (!(await this.sources.find(tx, deploymentId))) throw notConnected();
      await this.sources.remove(tx, deploymentId);
      return { success: true };
    });
  }

  private tokenFor(
    deploymentId: number,
    { url, token }: BodyOf<'putDbtSource'>,
    former: DbtSource | null,
  ): string | null {
    if (typeof token === 'string') return this.access.sealToken(deploymentId, token);
    const stays = token === undefined && former && this.access.isSameServer(former.url, url);
    return stays ? former.sealedToken : null;
  }
}

/** @throws AppError `dbt_source.not_connected` (409) */
export const notConnected = (): AppError => new AppError('dbt_source.not_connected', 'No dbt project is connected');

function folderOf(path = ''): string {
  try {
    return normaliseFolder(path === '.' ? '' : path) || '.';
  } catch {
    throw invalidRequest('/body/projectPath', 'must be a folder of the repository');
  }
}

const shown = (deploymentId: number, source: DbtSource | null, publicKey: string | null): Shown => ({
  connected: source !== null,
  url: source?.url ?? null,
  hasToken: Boolean(source?.sealedToken),
  publicKey,
  ...DEFAULT_SETTINGS,
  ...source?.settings,
  webhookUrl: webhookUrlOf(deploymentId),
  hasWebhookSecret: Boolean(source?.sealedWebhookSecret),
  updatedAt: source?.updatedAt.toISOString() ?? null,
});
