import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import {
  CUSTOM,
  setOwn,
  type Attributes,
  type AttributeValue,
  type Change,
  type Resource,
} from '@plinth/scim-protocol';
import type { AttributeValue as StoredValue } from '@plinth/user-attributes';
import { UserAttributesRepository, UserAttributeValuesRepository } from '../../people';
import { CustomFacts } from './custom-facts';

/** The tenant's own facts about users, as far as an identity provider sets them. */
@Injectable()
export class CustomAttributes {
  constructor(
    private readonly attributes: UserAttributesRepository,
    private readonly values: UserAttributeValuesRepository,
  ) {}

  /** The facts that have a value, by their names, of each of the users; one without any is missing. */
  async read(tx: Transaction, userIds: readonly number[]): Promise<Map<number, Resource>> {
    const known = new Map<number, Attributes>();
    for (const { userId, name, value } of await this.values.listNamed(tx, userIds)) {
      const facts = known.get(userId) ?? {};
      setOwn(facts, name, value as AttributeValue);
      known.set(userId, facts);
    }
    return new Map([...known].map(([userId, facts]) => [userId, { [CUSTOM]: facts }]));
  }

  /** The resource with the names and types that the tenant gave to facts; see {@link CustomFacts}. */
  async ofResource(tx: Transaction, resource: Resource): Promise<Resource> {
    return resource[CUSTOM] ? (await this.facts(tx)).resource(resource) : resource;
  }

  /** The changes with the names and types that the tenant gave to facts; see {@link CustomFacts}. */
  async ofChanges(tx: Transaction, changes: readonly Change[]): Promise<readonly Change[]> {
    if (!changes.some(({ path }) => path.schema === CUSTOM)) return changes;
    const facts = await this.facts(tx);
    return changes.map((change) => facts.change(change));
  }

  /** Stores the facts of `after` that `before` has not, and clears those that only `before` has. */
  async write(
    tx: Transaction,
    { tenantId, id: userId }: { tenantId: number; id: number },
    before: Resource,
    after: Resource,
  ): Promise<void> {
    const [old, wanted] = [before[CUSTOM] ?? {}, after[CUSTOM] ?? {}];
    const names = Object.keys({ ...old, ...wanted }).filter((name) => !isDeepStrictEqual(old[name], wanted[name]));
    if (names.length === 0) return;
    const facts = await this.facts(tx);
    const rows = names.map((name) => ({
      ...{ tenantId, userId, userAttributeId: facts.attribute(name).id },
      value: (wanted[name] ?? null) as StoredValue | null,
    }));
    await this.values.setAll(tx, rows);
  }

  private async facts(tx: Transaction): Promise<CustomFacts> {
    return new CustomFacts(await this.attributes.listAll(tx));
  }
}
