import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { EnvironmentsService } from '../../deployments';
import { UsersRepository, userNotFound } from '../../people';
import { EffectivePolicies } from '../../rights';
import { TenantSettingsRepository } from '../../tenancy';
import { EmbedGrantsService } from './embed-grants.service';

type Order = BodyOf<'prepareEmbedSession'>;

/** Answers the service that makes sessions for host applications. */
@Injectable()
export class EmbedSessionsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly settings: TenantSettingsRepository,
    private readonly environments: EnvironmentsService,
    private readonly users: UsersRepository,
    private readonly policies: EffectivePolicies,
    private readonly grants: EmbedGrantsService,
  ) {}

  /**
   * @throws AppError `embedding.off`, `embedding.creator_mode_off` (403), `deployment.not_found`, `branch.not_found`,
   *   `user.not_found` (404), `branch.not_served` (400), and what {@link EmbedGrantsService.resolve} throws (400).
   */
  async prepare(principal: Principal, order: Order): Promise<ReplyOf<'prepareEmbedSession'>> {
    const { tenantId } = principal;
    await this.requireEmbedding(tenantId, order);
    const branchName = await this.environments.requireServed(tenantId, order.deploymentId, order.branchName);
    const user = order.username === null ? null : await this.userNamed(tenantId, order.username);
    return { branchName, user, ...(await this.named(principal, order)) };
  }

  async describeUser(
    { tenantId }: Principal,
    { userId, generation }: BodyOf<'describeAccountUser'>,
  ): Promise<ReplyOf<'describeAccountUser'>> {
    const user = await this.users.findActive(this.database, tenantId, userId);
    if (user?.generation !== generation) return { user: null };
    const { name: userName, email, isAdmin } = user;
    return { user: { userName, email, isAdmin, grants: isAdmin ? [] : await this.policies.grants(tenantId, userId) } };
  }

  private async requireEmbedding(tenantId: number, { isCreator }: Order): Promise<void> {
    const { embeddingEnabled, creatorModeEnabled } = await this.settings.findEmbedding(this.database, tenantId);
    if (!embeddingEnabled) {
      throw new AppError('embedding.off', 'Embedding is switched off in the settings of the account');
    }
    if (isCreator && !creatorModeEnabled) {
      throw new AppError('embedding.creator_mode_off', 'Creator mode is switched off in the settings of the account');
    }
  }

  private async userNamed(tenantId: number, username: string): Promise<Schemas['AccountUserReference']> {
    const user = await this.users.findActiveNamed(this.database, tenantId, username);
    if (!user) throw userNotFound();
    return user;
  }

  /** Nothing is asked of groups and attributes when none is named, which is what most sessions are like. */
  private async named(
    principal: Principal,
    { groups, userAttributes }: Order,
  ): Promise<Pick<Schemas['EmbedSessionGround'], 'groups' | 'attributes'>> {
    if (groups.length === 0 && userAttributes.length === 0) return { groups: [], attributes: [] };
    const found = await this.grants.resolve(principal, { groups, groupIds: [], userAttributes });
    const names = new Set(userAttributes.map(({ name }) => name));
    return { groups: found.groups, attributes: found.attributes.filter(({ name }) => names.has(name)) };
  }
}
