import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import type { Viewer } from './viewer';

type Owner = Schemas['Person'];

/** Shows who owns things. Users belong to the control plane. */
@Injectable()
export class People {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  /** Everybody of the ids; whoever is gone has an empty address. Embed users see nobody of the account. */
  async describe({ tenantId, embed }: Viewer, ids: Iterable<number | null>): Promise<Map<number, Owner>> {
    if (embed) return new Map();
    const userIds = [...new Set(ids)].filter((id) => id !== null);
    const gone = (id: number): Owner => ({ id, email: '', firstName: null, picture: null });
    return new Map([...userIds.map((id) => [id, gone(id)] as const), ...(await this.known(tenantId, userIds))]);
  }

  /** Those of the embed users who are there. */
  async embedUsers(tenantId: number, ids: Iterable<number>): Promise<Map<number, Owner>> {
    const embedUserIds = [...new Set(ids)];
    if (embedUserIds.length === 0) return new Map();
    const { people } = await this.bus.ask('describeEmbedPeople', systemPrincipal(tenantId), { embedUserIds });
    return new Map(people.map((person) => [person.id, person]));
  }

  /** Those of the ids who are there. */
  async known(tenantId: number, userIds: readonly number[]): Promise<Map<number, Owner>> {
    if (userIds.length === 0) return new Map();
    const { people } = await this.bus.ask('describePeople', systemPrincipal(tenantId), { userIds: [...userIds] });
    return new Map(people.map((person) => [person.id, person]));
  }
}
