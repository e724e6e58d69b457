import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database, keysetList, type Step } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { AccountGrants } from '../grants';
import { canonicalName, embedTenantNotFound, EmbedTenantsRepository } from '../tenants';
import { toContractUser } from './contract-user';
import type { EmbedUser } from './embed-user.entity';
import { canonicalExternalId, EmbedUsersRepository } from './embed-users.repository';
import { Provisioning, type DesiredUser } from './provisioning.service';

type Input = BodyOf<'provisionEmbedUser'>;

@Injectable()
export class EmbedUsersService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly tenants: EmbedTenantsRepository,
    private readonly users: EmbedUsersRepository,
    private readonly provisioning: Provisioning,
    private readonly grants: AccountGrants,
  ) {}

  async list(
    { tenantId }: Principal,
    embedTenantName: string,
    query: QueryOf<'listEmbedUsers'>,
  ): Promise<ReplyOf<'listEmbedUsers'>> {
    const [name, search] = [canonicalName(embedTenantName), query.search?.trim()];
    const { items, pageInfo } = await keysetList(query, {
      name: 'embed-users',
      filters: { name, search },
      positionOf: ({ shownEmail, id }: EmbedUser): [shownEmail: string, id: number] => [shownEmail, id],
      read: (limit, [shownEmail, id]) =>
        this.database.transaction(tenantId, async (tx) => {
          const embedTenantId = await this.tenants.find(tx, name);
          if (embedTenantId === undefined) throw embedTenantNotFound();
          const after = shownEmail !== undefined && id !== undefined ? { shownEmail, id } : undefined;
          return this.users.list(tx, embedTenantId, search, limit, after);
        }),
    });
    return { items: items.map(toContractUser), pageInfo };
  }

  async provision(principal: Principal, embedTenantName: string, input: Input): Promise<ReplyOf<'provisionEmbedUser'>> {
    const place = { tenantId: principal.tenantId, name: canonicalName(embedTenantName) };
    const desired = await this.desired(principal.tenantId, input);
    return this.database.mutate(principal, async (tx) =>
      toContractUser(await this.provisioning.apply(tx, place, desired)),
    );
  }

  /** Each user in a transaction of their own; what one has committed stays when a later one fails. */
  async provisionAll(
    principal: Principal,
    embedTenantName: string,
    { users }: BodyOf<'provisionEmbedUsers'>,
  ): Promise<ReplyOf<'provisionEmbedUsers'>> {
    const place = { tenantId: principal.tenantId, name: canonicalName(embedTenantName) };
    return this.database.mutateInSteps(principal, async (step) => {
      const succeeded: Schemas['EmbedUser'][] = [];
      const failed: Schemas['ProvisionEmbedUserFailure'][] = [];
      for (const input of users) {
        const outcome = await this.attempt(step, place, input);
        if ('error' in outcome) failed.push(outcome);
        else succeeded.push(outcome);
      }
      return { succeeded, failed };
    });
  }

  /** A failure of the platform is no matter of one user. */
  private async attempt(
    step: Step,
    place: { tenantId: number; name: string },
    input: Input,
  ): Promise<Schemas['EmbedUser'] | Schemas['ProvisionEmbedUserFailure']> {
    try {
      const desired = await this.desired(place.tenantId, input);
      return toContractUser(await step((tx) => this.provisioning.apply(tx, place, desired)));
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      const { status, message } = error;
      return { externalId: canonicalExternalId(input.externalId), error: { status, message } };
    }
  }

  private async desired(
    tenantId: number,
    { externalId, email, groups, tenantGroups, userProfile }: Input,
  ): Promise<DesiredUser> {
    return {
      externalId: canonicalExternalId(externalId),
      email: email?.toLowerCase(),
      displayName: userProfile?.displayName,
      picture: userProfile?.picture,
      accountGroupIds: await this.grants.groupIds(tenantId, groups),
      tenantGroups: tenantGroups ?? undefined,
    };
  }
}
