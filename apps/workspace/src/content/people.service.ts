import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal } from '@plinth/auth';
import type { accessSettings, ConfigOf } from '@plinth/config';
import type { Schemas } from '@plinth/contract';
import { BUS, CONFIG, LOGGER } from '@plinth/host';
import { ShortCache, type Bus, type CallOptions } from '@plinth/messaging';
import type { Logger } from '@plinth/observability';
import type { Viewer } from './viewer';

type Owner = Schemas['Person'];

/** Somebody of whom the id is known alone. */
export interface PersonRef {
  id: number;
  isEmbedUser: boolean;
}

/** What a transaction knows of a thing: whose it is, but not who that is. As JSON it stays what it is. */
export type Unnamed<T> = Omit<T, 'user'> & { user: PersonRef | null };

/** A user of the account; null for nobody. */
export const userRef = (id: number | null): PersonRef | null => (id === null ? null : { id, isEmbedUser: false });

/**
 * What is shown: what was `read` is refused where nobody can tell whose it is, and can be read again. What was `written` is
 * saved, and must be answered as saved: people are their ids then.
 */
export type Shown = 'read' | 'written';

/** Those whose facts were found; undefined when nobody could be asked. */
type Found = ReadonlyMap<number, Owner> | undefined;

/** Asks who people are. */
type Ask = (ids: readonly number[], options?: CallOptions) => Promise<Found>;

/** How long the answer to a write waits for those who know people. */
const PATIENCE_OF_WRITES_MS = 2_000;

/**
 * Shows who owns things. Users belong to the control plane, embed users to another service: both are asked after a transaction,
 * so that a slow one keeps nobody from the rows that it holds.
 */
@Injectable()
export class People {
  private readonly remembered: ShortCache<Owner>;

  constructor(
    @Inject(BUS) private readonly bus: Bus,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CONFIG) { credentialCacheMs }: ConfigOf<typeof accessSettings>,
  ) {
    const topics = ['control-plane.credential.changed', 'embed.session.changed'];
    this.remembered = new ShortCache<Owner>(credentialCacheMs).clearOn(bus, ...topics);
  }

  /**
   * Tells who each of them is, or was less than a second ago. A user who is gone has an empty address, an embed user who is
   * gone is nobody. Embed users see nobody of the account.
   */
  async describe(
    { tenantId, embed }: Viewer,
    refs: readonly (PersonRef | null)[],
    shown: Shown = 'read',
  ): Promise<(ref: PersonRef | null) => Owner | null> {
    const idsOf = (kind: boolean): number[] => [
      ...new Set(refs.flatMap((ref) => (ref?.isEmbedUser === kind ? ref.id : []))),
    ];
    const [users, embedUsers] = await Promise.all([
      this.found(`${tenantId}:user`, shown, embed ? [] : idsOf(false), (ids, options) =>
        this.known(tenantId, ids, options),
      ),
      this.found(`${tenantId}:embed`, shown, idsOf(true), (ids, options) => this.embedUsers(tenantId, ids, options)),
    ]);
    return (ref) => {
      if (ref?.isEmbedUser) return embedUsers ? (embedUsers.get(ref.id) ?? null) : idAlone(ref.id);
      return ref && !embed ? (users?.get(ref.id) ?? idAlone(ref.id)) : null;
    };
  }

  /** The things with those whose they are. */
  async name<T extends { user: PersonRef | null }>(
    viewer: Viewer,
    things: readonly T[],
    shown: Shown = 'read',
  ): Promise<(Omit<T, 'user'> & { user: Owner | null })[]> {
    const who = await this.describe(
      viewer,
      things.map(({ user }) => user),
      shown,
    );
    return things.map((thing) => ({ ...thing, user: who(thing.user) }));
  }

  /** Those of the embed users who are there. */
  async embedUsers(tenantId: number, ids: Iterable<number>, options?: CallOptions): Promise<Map<number, Owner>> {
    const embedUserIds = [...new Set(ids)];
    if (embedUserIds.length === 0) return new Map();
    const { people } = await this.bus.ask('describeEmbedPeople', systemPrincipal(tenantId), { embedUserIds }, options);
    return new Map(people.map((person) => [person.id, person]));
  }

  /** Those of the ids who are there. */
  async known(tenantId: number, userIds: readonly number[], options?: CallOptions): Promise<Map<number, Owner>> {
    if (userIds.length === 0) return new Map();
    const { people } = await this.bus.ask(
      'describePeople',
      systemPrincipal(tenantId),
      { userIds: [...userIds] },
      options,
    );
    return new Map(people.map((person) => [person.id, person]));
  }

  /** Asks once for all who are not remembered. */
  private async found(kind: string, shown: Shown, ids: readonly number[], ask: Ask): Promise<Found> {
    const keyOf = (id: number): string => `${kind}:${id}`;
    const recalled = new Map(ids.map((id) => [id, this.remembered.peek(keyOf(id))]));
    const missing = ids.filter((id) => recalled.get(id) === undefined);
    let asked: Promise<Found> | undefined;
    const find = async (id: number): Promise<Owner | null> => (await (asked ??= ask(missing)))?.get(id) ?? null;
    if (shown === 'read') {
      const resolve = async (id: number) => recalled.set(id, await this.remembered.resolve(keyOf(id), () => find(id)));
      await Promise.all(missing.map(resolve));
    } else {
      // Not with others, who have more patience.
      asked = this.patiently(ask, missing);
      if (!(await asked)) return undefined;
      for (const id of missing) recalled.set(id, await find(id));
    }
    return new Map([...recalled].flatMap(([id, person]) => (person ? [[id, person]] : [])));
  }

  private async patiently(ask: Ask, ids: readonly number[]): Promise<Found> {
    try {
      return await ask(ids, { timeoutMs: PATIENCE_OF_WRITES_MS });
    } catch (error) {
      this.logger.warn({ err: error }, 'what was written is answered without who people are');
      return undefined;
    }
  }
}

const idAlone = (id: number): Owner => ({ id, email: '', firstName: null, picture: null });
