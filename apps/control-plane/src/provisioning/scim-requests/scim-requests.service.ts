import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { Database, keysetList } from '@plinth/database';
import { parsePeriod } from '../../audit';
import { toContractScimRequest, toScimRequest } from './scim-request.entity';
import { ScimRequestsRepository, type ScimRequestPosition } from './scim-requests.repository';

/** What identity providers asked for: the first thing to look at when provisioning fails. */
@Injectable()
export class ScimRequestsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly requests: ScimRequestsRepository,
  ) {}

  async list(principal: Principal, query: QueryOf<'listScimRequests'>): Promise<ReplyOf<'listScimRequests'>> {
    const { failed, tokenId, start, end } = query;
    const page = await keysetList(query, {
      name: 'scim-requests',
      filters: { failed, tokenId, start, end },
      positionOf: ({ occurredAt, id }: ScimRequestPosition) => [occurredAt.getTime(), id],
      read: (limit, [time, id]) =>
        this.database.transaction(principal.tenantId, (tx) =>
          this.requests.list(tx, { failed, tokenId, ...parsePeriod(query) }, limit, positionAt(time, id)),
        ),
    });
    return { ...page, items: page.items.map(toContractScimRequest) };
  }

  /** From the gateways, which answer for the tenant. */
  async record(
    { tenantId }: Principal,
    { requests }: BodyOf<'recordScimRequests'>,
  ): Promise<ReplyOf<'recordScimRequests'>> {
    const rows = requests.map((request) => toScimRequest(tenantId, request));
    await this.database.transaction(tenantId, (tx) => this.requests.insert(tx, rows));
    return { recorded: true };
  }
}

const positionAt = (time: number | undefined, id: string | undefined): ScimRequestPosition | undefined =>
  time === undefined || id === undefined ? undefined : { occurredAt: new Date(time), id };
