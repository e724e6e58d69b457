import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { Database, decodeCursor, encodeCursor, resolveCursorPaging, toPage } from '@plinth/database';
import { parsePeriod } from '../../audit';
import { toContractScimRequest, toScimRequest } from './scim-request.entity';
import { ScimRequestsRepository, type ScimRequestPosition } from './scim-requests.repository';

const list = 'scim-requests';

/** What identity providers asked for: the first thing to look at when provisioning fails. */
@Injectable()
export class ScimRequestsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly requests: ScimRequestsRepository,
  ) {}

  async list(principal: Principal, query: QueryOf<'listScimRequests'>): Promise<ReplyOf<'listScimRequests'>> {
    const { failed, tokenId, start, end } = query;
    const filters = { failed, tokenId, start, end };
    const { first, after } = resolveCursorPaging(query);
    const position = after === undefined ? undefined : toPosition(decodeCursor(list, filters, after));
    const rows = await this.database.transaction(principal.tenantId, (tx) =>
      this.requests.list(tx, { failed, tokenId, ...parsePeriod(query) }, first + 1, position),
    );
    const page = toPage(rows, first, {
      cursorOf: ({ occurredAt, id }) => encodeCursor(list, filters, [occurredAt.getTime(), id]),
      after,
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

const toPosition = ([time, id]: ReturnType<typeof decodeCursor>): ScimRequestPosition => ({
  occurredAt: new Date(Number(time)),
  id: String(id),
});
