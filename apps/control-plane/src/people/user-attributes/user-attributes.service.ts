import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf, Schemas } from '@plinth/contract';
import { byId, Database } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { type AttributeType, parseValue } from '@plinth/user-attributes';
import { twoStylePage } from '../../kernel';
import type { UserAttribute } from './user-attribute.entity';
import { UserAttributesRepository, type AttributeFilter } from './user-attributes.repository';

/** Keeps the attributes of a user, which are listed without pages, to a size that one reply can have. */
const MOST_ATTRIBUTES = 500;

@Injectable()
export class UserAttributesService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly attributes: UserAttributesRepository,
  ) {}

  async list(principal: Principal, query: QueryOf<'getUserAttributes'>): Promise<ReplyOf<'getUserAttributes'>> {
    const filters = { name: query.name, type: query.type };
    const { items, pageInfo, pagination } = await this.database.transaction(principal.tenantId, (tx) =>
      twoStylePage(query, {
        name: 'user-attributes',
        filters,
        positionOf: byId,
        read: (limit, [beforeId]) => this.attributes.listBefore(tx, filters, limit, beforeId),
        readSlice: (offset, limit) => this.attributes.listSlice(tx, filters, offset, limit),
        count: () => this.attributes.count(tx, filters),
      }),
    );
    const rows = items.map(toContractAttribute);
    return { items: rows, data: rows, count: pagination.total, pageInfo };
  }

  async create(
    principal: Principal,
    { name, type, displayName = null, description = null, defaultValue = null }: BodyOf<'createUserAttribute'>,
  ): Promise<ReplyOf<'createUserAttribute'>> {
    requireDefault(type, defaultValue);
    return this.database.mutate(principal, async (tx) => {
      if ((await this.attributes.count(tx, everything)) >= MOST_ATTRIBUTES) throw tooManyAttributes();
      const { tenantId } = principal;
      const attribute = { tenantId, name, type, displayName, description, defaultValue };
      return toContractAttribute(await this.attributes.insert(tx, attribute));
    });
  }

  async update(
    principal: Principal,
    id: number,
    body: BodyOf<'updateUserAttribute'>,
  ): Promise<ReplyOf<'updateUserAttribute'>> {
    return this.database.mutate(principal, async (tx) => {
      const attribute = await this.attributes.find(tx, id);
      if (!attribute) throw attributeNotFound();
      const { displayName, description, defaultValue } = { ...attribute, ...body };
      requireDefault(attribute.type, defaultValue);
      const changed = { ...attribute, displayName, description, defaultValue };
      return toContractAttribute(await this.attributes.save(tx, changed));
    });
  }

  async delete(principal: Principal, id: number): Promise<ReplyOf<'deleteUserAttribute'>> {
    return this.database.mutate(principal, async (tx) => {
      if (!(await this.attributes.delete(tx, id))) throw attributeNotFound();
      return { success: true };
    });
  }
}

const everything: AttributeFilter = { name: undefined, type: undefined };

const toContractAttribute = ({
  id,
  name,
  type,
  displayName,
  description,
  defaultValue,
}: UserAttribute): Schemas['UserAttribute'] => ({ id, name, type, displayName, description, defaultValue });

export const attributeNotFound = (): AppError =>
  new AppError('user_attribute.not_found', 'There is no such user attribute');

const tooManyAttributes = (): AppError =>
  new AppError('user_attribute.limit_reached', `An account has at most ${MOST_ATTRIBUTES} user attributes`);

function requireDefault(type: AttributeType, text: string | null): void {
  if (text !== null && parseValue(type, text) === undefined) {
    throw invalidRequest('/body/defaultValue', `must be the text of a ${type} value`);
  }
}
