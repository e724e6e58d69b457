import { Injectable } from '@nestjs/common';
import type { Schemas } from '@plinth/contract';
import type { Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { isValueOf, parseValue } from '@plinth/user-attributes';
import { EmbedAttributesRepository, type AttributeDefinition, type OwnValue } from '../attributes';
import { idsOf } from '../grants';
import { EmbedGroupsRepository } from '../groups';
import { canonicalName, EmbedTenantsRepository, NO_EMBED_TENANT } from '../tenants';
import { canonicalExternalId, Provisioning, type DesiredUser, type EmbedUser, type Place } from '../users';
import type { SessionRequest } from './session-rules';

type Ground = Schemas['EmbedSessionGround'];

/** Whom a session is for. */
export interface SessionIdentity {
  /** Null for none. */
  embedTenantId: number | null;
  /** Null for a user of the account. */
  embedUserId: number | null;
}

/**
 * Brings embed tenant and embed user to what the request for a session says: first what is defined, then who is in it. Every
 * transaction holds the embed tenant before anything in it.
 */
@Injectable()
export class SessionIdentities {
  constructor(
    private readonly tenants: EmbedTenantsRepository,
    private readonly groups: EmbedGroupsRepository,
    private readonly attributes: EmbedAttributesRepository,
    private readonly provisioning: Provisioning,
  ) {}

  /**
   * @throws AppError `embed_group.unknown_name`, `embed_group.name_taken`, `embed_attribute.*` (400),
   *   `embed_user.limit_reached` (429)
   */
  async bring(tx: Transaction, tenantId: number, request: SessionRequest, ground: Ground): Promise<SessionIdentity> {
    const { externalId, embedTenantName } = request;
    if (externalId == null && embedTenantName == null) return { embedTenantId: null, embedUserId: null };
    const name = embedTenantName == null ? NO_EMBED_TENANT : canonicalName(embedTenantName);
    if (externalId == null || definesAnything(request)) {
      const place = { tenantId, embedTenantId: await this.tenants.ensure(tx, tenantId, name) };
      await this.define(tx, place, request);
      if (externalId == null) return { embedTenantId: place.embedTenantId, embedUserId: null };
    }
    const user = await this.provisioning.apply(tx, { tenantId, name }, desiredUser(externalId, request, ground));
    await this.setOwnAttributes(tx, user, request);
    return { embedTenantId: user.embedTenantId, embedUserId: user.id };
  }

  private async define(
    tx: Transaction,
    place: Place,
    { embedTenantProfile, tenantGroupDefinitions, userAttributeDefinitions }: SessionRequest,
  ): Promise<void> {
    const displayName = embedTenantProfile?.displayName;
    if (displayName != null) await this.tenants.setDisplayName(tx, place.embedTenantId, displayName);
    if (tenantGroupDefinitions?.length) {
      const definitions = tenantGroupDefinitions.map((group) => ({
        name: group.name.trim(),
        description: group.description || null,
      }));
      await this.groups.define(tx, place, definitions);
    }
    if (userAttributeDefinitions?.length) {
      await this.attributes.define(tx, place, userAttributeDefinitions.map(attributeDefinition));
    }
  }

  private async setOwnAttributes(tx: Transaction, user: EmbedUser, request: SessionRequest): Promise<void> {
    const given = request.userAttributes ?? [];
    if (!usesOwnAttributes(request) || given.length === 0) return;
    const names = given.map(({ name }) => name);
    const known = new Map(
      (await this.attributes.named(tx, user.embedTenantId, names)).map((attribute) => [attribute.name, attribute]),
    );
    const unknown = names.filter((name) => !known.has(name));
    if (unknown.length > 0) {
      throw new AppError('embed_attribute.unknown_name', `User attributes not found: ${unknown.join(', ')}`);
    }
    const values = given.map(({ name, value = null }): OwnValue => {
      const { id, type } = known.get(name) as { id: number; type: AttributeDefinition['type'] };
      if (value === null || isValueOf(type, value)) return { attributeId: id, value };
      throw new AppError('embed_attribute.wrong_type', `The user attribute ${name} takes a value of the type ${type}`);
    });
    await this.attributes.setValues(tx, user, values);
  }
}

/** Whether something of the embed tenant has to be there before the user. */
const definesAnything = ({ embedTenantProfile, tenantGroupDefinitions, userAttributeDefinitions }: SessionRequest) =>
  embedTenantProfile?.displayName != null ||
  Boolean(tenantGroupDefinitions?.length) ||
  Boolean(userAttributeDefinitions?.length);

/** Whether attributes are those of the embed tenant; otherwise they are those of the account. */
export const usesOwnAttributes = ({ creatorMode, embedTenantName }: SessionRequest): boolean =>
  creatorMode === true && embedTenantName != null;

function desiredUser(externalId: string, request: SessionRequest, ground: Ground): DesiredUser {
  const { email, userProfile, groups, tenantGroups, userAttributes } = request;
  const values = new Map((userAttributes ?? []).map(({ name, value = null }) => [name, value]));
  return {
    externalId: canonicalExternalId(externalId),
    email: email?.toLowerCase(),
    displayName: userProfile?.displayName,
    picture: userProfile?.picture,
    accountGroupIds: groups ? idsOf(ground.groups) : undefined,
    tenantGroups: tenantGroups ?? undefined,
    attributes: ground.attributes.map(({ id, name }) => ({ attributeId: id, value: values.get(name) ?? null })),
  };
}

function attributeDefinition(
  { name, type, defaultValue, displayName, description }: Schemas['UserAttributeDefinition'],
  index: number,
): AttributeDefinition {
  if (defaultValue != null && parseValue(type, defaultValue) === undefined) {
    throw invalidRequest(`/body/userAttributeDefinitions/${index}/defaultValue`, `is no value of the type ${type}`);
  }
  return {
    name: name.trim(),
    type,
    defaultValue: defaultValue ?? null,
    displayName: displayName ?? null,
    description: description ?? null,
  };
}
