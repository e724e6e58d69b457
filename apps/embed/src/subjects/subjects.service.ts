import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database, recordAction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { AccountGrants, idsOf } from '../grants';
import { canonicalName } from '../tenants';
import { canonicalExternalId, Provisioning } from '../users';
import { ownValuesOf } from './own-attributes';
import { securityContextOf } from './security-context';
import { SubjectsRepository, type HeldSubject } from './subjects.repository';

type SubjectRequest = BodyOf<'resolveEmbedSubject'>;
type Subject = ReplyOf<'resolveEmbedSubject'>;
type Grants = ReplyOf<'resolveEmbedGrants'>;

type Context = Record<string, unknown>;

/** What holds for one session of an embed user. */
export interface SessionStanding {
  context: Context;
  roles: readonly string[];
  /** Whether the embed tenant's own attributes go before those of the account. */
  usesOwnAttributes: boolean;
}

/** Answers services that do something for embed users: who they are, and how they read data. */
@Injectable()
export class SubjectsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly subjects: SubjectsRepository,
    private readonly provisioning: Provisioning,
    private readonly grants: AccountGrants,
  ) {}

  /**
   * @throws AppError `embed_user.not_found` (404) when they are not to be provisioned, `embed_user.limit_reached` (429),
   *   and what {@link AccountGrants.resolve} throws (400).
   */
  async resolve(principal: Principal, request: SubjectRequest): Promise<Subject> {
    const { tenantId } = principal;
    const found = await this.find(tenantId, request);
    if (!found && !request.provision) throw new AppError('embed_user.not_found', 'There is no such embed user');
    const subject = found ?? (await this.provision(principal, request));
    const { groups, userAttributes } = given(request);
    const grants = await this.grants.resolve(tenantId, {
      ...(groups ? { groups } : { groupIds: subject.accountGroupIds }),
      userAttributes,
    });
    return described(subject, grants, request);
  }

  /** What queries of a session of the user run under; undefined when the user is gone. */
  async contextOf(tenantId: number, embedUserId: number, session: SessionStanding): Promise<Context | undefined> {
    const subject = await this.subjects.findById(this.database, tenantId, embedUserId);
    if (!subject) return undefined;
    const { groups, attributes } = await this.grants.resolve(tenantId, { groupIds: subject.accountGroupIds });
    const [account, own] = [valuesOf(attributes, subject.values), ownValuesOf(subject.ownAttributes)];
    return securityContextOf(subject, {
      groups: groups.map(({ name }) => name),
      userAttributes: session.usesOwnAttributes ? { ...account, ...own } : { ...without(own, attributes), ...account },
      roles: session.roles,
      context: session.context,
    });
  }

  private find(tenantId: number, { embedTenantName, externalId }: SubjectRequest): Promise<HeldSubject | undefined> {
    return this.database.transaction(tenantId, (tx) =>
      this.subjects.find(tx, canonicalName(embedTenantName), canonicalExternalId(externalId)),
    );
  }

  private async provision(principal: Principal, request: SubjectRequest): Promise<HeldSubject> {
    const { tenantId } = principal;
    const { groups, userAttributes } = given(request);
    const grants = await this.grants.resolve(tenantId, { ...(groups && { groups }), userAttributes });
    const [name, externalId] = [canonicalName(request.embedTenantName), canonicalExternalId(request.externalId)];
    const ids = new Map(grants.attributes.map((attribute) => [attribute.name, attribute.id]));
    const desired = {
      externalId,
      email: request.email?.trim().toLowerCase() || undefined,
      accountGroupIds: groups && idsOf(grants.groups),
      attributes: userAttributes.map((given) => ({ attributeId: ids.get(given.name) as number, value: given.value })),
    };
    return this.database.transaction(tenantId, async (tx) => {
      await this.provisioning.apply(tx, { tenantId, name }, desired);
      recordAction(tx, principal, {
        event: 'Provisioned embed user',
        attributes: { embedTenantName: name, externalId },
      });
      return (await this.subjects.find(tx, name, externalId)) as HeldSubject;
    });
  }
}

const given = ({ groups, userAttributes }: SubjectRequest) => ({
  groups: groups ?? undefined,
  userAttributes: userAttributes ?? [],
});

function described(subject: HeldSubject, { groups, attributes }: Grants, request: SubjectRequest): Subject {
  const names = groups.map(({ name }) => name);
  const given = valuesOf(attributes, { ...subject.values, ...overrides(attributes, request) });
  const userAttributes = { ...without(ownValuesOf(subject.ownAttributes), attributes), ...given };
  const standing = { groups: names, userAttributes, roles: [], context: request.securityContext ?? {} };
  const { id, embedTenantName, externalId, email, displayName } = subject;
  return {
    embedUserId: id,
    embedTenantName,
    externalId,
    email,
    displayName,
    groups: names,
    userAttributes,
    securityContext: securityContextOf(subject, standing),
  };
}

/** Given values by the ids of their attributes. */
function overrides(
  attributes: readonly Schemas['AccountAttribute'][],
  request: SubjectRequest,
): Record<string, unknown> {
  const values = new Map(given(request).userAttributes.map((each) => [each.name, each]));
  return Object.fromEntries(
    attributes.flatMap(({ id, name }) => {
      const one = values.get(name);
      return one ? [[id, one.value ?? null]] : [];
    }),
  );
}

/** Without those of which the account has an attribute with the name, be it without a value. */
function without(
  own: Record<string, unknown>,
  attributes: readonly Schemas['AccountAttribute'][],
): Record<string, unknown> {
  const names = new Set(attributes.map(({ name }) => name));
  return Object.fromEntries(Object.entries(own).filter(([name]) => !names.has(name)));
}

/** By name, without the attributes that have no value. */
function valuesOf(
  attributes: readonly Schemas['AccountAttribute'][],
  held: Record<string, unknown>,
): Record<string, unknown> {
  const values = attributes.map(({ id, name, defaultValue }) => [name, id in held ? held[id] : defaultValue] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== null));
}
