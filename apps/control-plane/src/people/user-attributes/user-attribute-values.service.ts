import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database } from '@plinth/database';
import { invalidRequest } from '@plinth/errors';
import { formatValue, isValueOf, parseValue, type AttributeValue } from '@plinth/user-attributes';
import { userNotFound } from '../users/user-errors';
import { UsersRepository } from '../users/users.repository';
import type { UserAttribute } from './user-attribute.entity';
import { UserAttributeValuesRepository } from './user-attribute-values.repository';
import { UserAttributesRepository } from './user-attributes.repository';
import { attributeNotFound } from './user-attributes.service';

@Injectable()
export class UserAttributeValuesService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly users: UsersRepository,
    private readonly attributes: UserAttributesRepository,
    private readonly values: UserAttributeValuesRepository,
  ) {}

  async list(principal: Principal, userId: number): Promise<ReplyOf<'getUserAttributeValues'>> {
    return this.database.transaction(principal.tenantId, async (tx) => {
      if (!(await this.users.findById(tx, userId))) throw userNotFound();
      const own = new Map((await this.values.list(tx, userId)).map((row) => [row.userAttributeId, row.value]));
      const attributes = await this.attributes.listAll(tx);
      return attributes.map((attribute) => {
        const value = own.get(attribute.id);
        return toContractValue(userId, attribute, value === undefined ? defaultOf(attribute) : value);
      });
    });
  }

  async set(
    principal: Principal,
    body: BodyOf<'upsertUserAttributeValue'>,
  ): Promise<ReplyOf<'upsertUserAttributeValue'>> {
    const [userId, userAttributeId] = [Number(body.userId), Number(body.userAttributeId)];
    const value = body.value ?? null;
    return this.database.mutate(principal, async (tx) => {
      if (!(await this.users.hold(tx, [userId])).has(userId)) throw userNotFound();
      const attribute = await this.attributes.hold(tx, userAttributeId);
      if (!attribute) throw attributeNotFound();
      if (value !== null && !isValueOf(attribute.type, value)) {
        throw invalidRequest('/body/value', `must be a ${attribute.type} value`);
      }
      await this.values.set(tx, { tenantId: principal.tenantId, userId, userAttributeId, value });
      return toContractValue(userId, attribute, value);
    });
  }
}

const defaultOf = ({ type, defaultValue }: UserAttribute): AttributeValue | null =>
  defaultValue === null ? null : (parseValue(type, defaultValue) ?? null);

const toContractValue = (
  userId: number,
  { id, name, type, displayName, description }: UserAttribute,
  value: AttributeValue | null,
): Schemas['UserAttributeValue'] => ({
  userId,
  userAttributeId: id,
  name,
  type,
  displayName,
  description,
  value,
  formattedValue: formatValue(value),
});
