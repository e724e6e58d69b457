import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';

type Membership = Schemas['ProvisionedMembership'];

/** Members that are held at a time: some hundred kilobytes of JSON. */
const PAGE = 2_000;

/** Reads the members of groups, however many there are, a page at a time. */
@Injectable()
export class GroupMembers {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  /** Pages of members in the order of the groups. The first one is read at once, so that what is wrong shows early. */
  async read(principal: Principal, groupIds: readonly number[]): Promise<AsyncIterable<readonly Membership[]>> {
    const first = groupIds.length > 0 ? await this.page(principal, groupIds, 0) : [];
    return this.pages(principal, groupIds, first);
  }

  private async *pages(
    principal: Principal,
    groupIds: readonly number[],
    first: Membership[],
  ): AsyncGenerator<Membership[]> {
    let page = first;
    for (let last = page.at(-1); last; last = page.at(-1)) {
      yield page;
      if (page.length < PAGE) return;
      page = await this.page(principal, groupIds.slice(groupIds.indexOf(last.groupId)), last.membershipId);
    }
  }

  private async page(principal: Principal, groupIds: readonly number[], after: number): Promise<Membership[]> {
    const body = { groupIds: [...groupIds], after, limit: PAGE };
    return (await this.bus.ask('listProvisionedMembers', principal, body)).items;
  }
}
