import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { isValueOf, parseValue } from '@plinth/user-attributes';
import { UserAttributesRepository, UserGroupsRepository, type UserAttribute } from '../../people';
import { TenantSettingsRepository } from '../../tenancy';

type AttributeInput = Schemas['UserAttributeInput'];
type Known = Pick<UserAttribute, 'id' | 'name' | 'type' | 'defaultValue'>;

/** Answers the service that keeps embed users, who may be given groups and attributes of the account. */
@Injectable()
export class EmbedGrantsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly groups: UserGroupsRepository,
    private readonly attributes: UserAttributesRepository,
    private readonly settings: TenantSettingsRepository,
  ) {}

  async embedding({ tenantId }: Principal): Promise<ReplyOf<'describeEmbedding'>> {
    const { embeddingEnabled, embedOrigins, appConfig } = await this.settings.findEmbedding(this.database, tenantId);
    const { locale, timezone, enableDashboardComments, allowAi } = appConfig.embedding ?? {};
    return {
      isEnabled: embeddingEnabled,
      origins: embedOrigins,
      locale: locale ?? null,
      timeZone: timezone ?? null,
      hasComments: enableDashboardComments ?? true,
      allowsAi: allowAi ?? true,
    };
  }

  /** @throws AppError `user_group.unknown_name`, `user_attribute.unknown_name`, `user_attribute.wrong_type` (400) */
  async resolve(
    { tenantId }: Principal,
    { groups: names, groupIds, userAttributes }: BodyOf<'resolveEmbedGrants'>,
  ): Promise<ReplyOf<'resolveEmbedGrants'>> {
    const [groups, attributes] = await Promise.all([
      this.groups.listNamedOrWithIds(this.database, tenantId, names, groupIds),
      this.attributes.readAll(this.database, tenantId),
    ]);
    requireGroups(names, new Set(groups.map(({ name }) => name)));
    requireValues(userAttributes, new Map(attributes.map((attribute) => [attribute.name, attribute])));
    return { groups, attributes: attributes.map(withDefault) };
  }
}

function requireGroups(names: readonly string[], known: ReadonlySet<string>): void {
  const unknown = [...new Set(names)].filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new AppError('user_group.unknown_name', `Groups with names ${unknown.join(', ')} not found`);
}

function requireValues(given: readonly AttributeInput[], known: ReadonlyMap<string, Known>): void {
  const names = given.map(({ name }) => name);
  const unknown = [...new Set(names)].filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new AppError('user_attribute.unknown_name', `User attributes not found: ${unknown.join(', ')}`);
  }
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  if (repeated.length > 0) {
    throw new AppError('request.invalid', `User attributes given more than once: ${repeated.join(', ')}`);
  }
  for (const { name, value = null } of given) requireType(known.get(name) as Known, value);
}

function requireType({ name, type }: Known, value: unknown): void {
  if (value === null || isValueOf(type, value)) return;
  throw new AppError('user_attribute.wrong_type', `The user attribute ${name} takes a value of the type ${type}`);
}

const withDefault = ({ id, name, type, defaultValue }: Known): Schemas['AccountAttribute'] => ({
  id,
  name,
  defaultValue: defaultValue === null ? null : (parseValue(type, defaultValue) ?? null),
});
