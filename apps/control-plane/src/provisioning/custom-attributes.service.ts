import { Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { CUSTOM, type Attributes, type AttributeValue, type Resource } from '@plinth/scim-protocol';
import { isValueOf, parseValue, type AttributeValue as StoredValue } from '../user-attributes/attribute-values';
import type { UserAttribute } from '../user-attributes/user-attribute.entity';
import { UserAttributeValuesRepository } from '../user-attributes/user-attribute-values.repository';
import { UserAttributesRepository } from '../user-attributes/user-attributes.repository';
import { customValuesOf } from './provisioned-profile';

/** The tenant's own facts about a user, as far as an identity provider sets them. */
@Injectable()
export class CustomAttributes {
  constructor(
    private readonly attributes: UserAttributesRepository,
    private readonly values: UserAttributeValuesRepository,
  ) {}

  /** The facts that have a value, by their names; undefined without any. */
  async read(tx: Transaction, userId: number): Promise<Resource> {
    const own = (await this.values.list(tx, userId)).filter(({ value }) => value !== null);
    if (own.length === 0) return {};
    const names = new Map((await this.attributes.listAll(tx)).map(({ id, name }) => [id, name]));
    const known = own.map(({ userAttributeId, value }) => [names.get(userAttributeId) ?? '', value] as const);
    return { [CUSTOM]: Object.fromEntries(known) as Attributes };
  }

  /**
   * Stores the facts of `after`, and clears those that only `before` has.
   *
   * @throws AppError `scim.invalid_value` (400) for a fact that the tenant does not keep, or a value of another type.
   */
  async write(
    tx: Transaction,
    user: { tenantId: number; id: number },
    before: Resource,
    after: Resource,
  ): Promise<void> {
    const wanted = new Map(customValuesOf(after));
    const gone = customValuesOf(before).filter(([name]) => !wanted.has(name));
    if (wanted.size + gone.length === 0) return;
    const attributes = new Map((await this.attributes.listAll(tx)).map((each) => [each.name.toLowerCase(), each]));
    const changes = [
      ...[...wanted].map(([name, value]) => [name, value] as const),
      ...gone.map(([name]) => [name, null] as const),
    ];
    for (const [name, value] of changes) {
      const attribute = attributes.get(name.toLowerCase());
      if (!attribute) throw new AppError('scim.invalid_value', `There is no user attribute ${name.slice(0, 200)}`);
      const row = { tenantId: user.tenantId, userId: user.id, userAttributeId: attribute.id };
      await this.values.set(tx, {
        ...row,
        value: value === null ? null : storedValue(attribute, value as AttributeValue),
      });
    }
  }
}

function storedValue({ name, type }: UserAttribute, value: AttributeValue): StoredValue {
  if (isValueOf(type, value)) return value;
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  const parsed = text === undefined ? undefined : (parseValue(type, text) ?? parseValue(type, text.toLowerCase()));
  if (parsed === undefined) throw new AppError('scim.invalid_value', `${name} takes a ${type} value`);
  return parsed;
}
