import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal } from '@plinth/auth';
import type { BodyOf, ReplyOf, Schemas } from '@plinth/contract';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';

type Request = Partial<BodyOf<'resolveEmbedGrants'>>;

/** Groups and attributes of the account, as of now. They belong to the control plane. */
@Injectable()
export class AccountGrants {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  /** @throws AppError `user_group.unknown_name`, `user_attribute.unknown_name`, `user_attribute.wrong_type` (400) */
  resolve(tenantId: number, request: Request): Promise<ReplyOf<'resolveEmbedGrants'>> {
    const nothing = { groups: [], groupIds: [], userAttributes: [] };
    return this.bus.ask('resolveEmbedGrants', systemPrincipal(tenantId), { ...nothing, ...request });
  }

  /** The ids of groups with these names; undefined when the names are. */
  async groupIds(tenantId: number, names: readonly string[] | null | undefined): Promise<number[] | undefined> {
    if (!names || names.length === 0) return names ? [] : undefined;
    return idsOf((await this.resolve(tenantId, { groups: [...names] })).groups);
  }
}

export const idsOf = (groups: readonly Schemas['AccountGroup'][]): number[] => groups.map(({ id }) => id);
