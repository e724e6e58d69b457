import type { Schemas } from '@plinth/contract';
import { Column, Entity, PrimaryColumn } from 'typeorm';

type Caller = NonNullable<Schemas['ScimRequest']['caller']>;

/** What an identity provider asked for and what it was answered, without any body. */
@Entity()
export class ScimRequest {
  @PrimaryColumn('bigint')
  tenantId!: number;

  /** Chosen by the gateway, so that an entry that is sent twice is kept once. */
  @PrimaryColumn('uuid')
  id!: string;

  @Column('timestamptz')
  occurredAt!: Date;

  @Column('text')
  requestId!: string;

  /** Null without a valid credential, as are the other facts about the caller. */
  @Column('text', { nullable: true })
  callerKind!: Caller['kind'] | null;

  @Column('bigint', { nullable: true })
  callerId!: number | null;

  @Column('bigint', { nullable: true })
  callerUserId!: number | null;

  @Column('text', { nullable: true })
  callerName!: string | null;

  @Column('text')
  method!: string;

  @Column('text')
  path!: string;

  @Column('jsonb')
  query!: Record<string, string>;

  @Column('smallint')
  status!: number;

  @Column('text', { nullable: true })
  scimType!: string | null;

  @Column('text', { nullable: true })
  code!: string | null;

  @Column('bigint')
  durationMs!: number;
}

/** The entry as the contract shows it. */
export const toContractScimRequest = (request: ScimRequest): Schemas['ScimRequest'] => ({
  id: request.id,
  time: request.occurredAt.toISOString(),
  requestId: request.requestId,
  caller: callerOf(request),
  method: request.method,
  path: request.path,
  query: request.query,
  status: request.status,
  scimType: request.scimType,
  code: request.code,
  durationMs: request.durationMs,
});

const callerOf = ({ callerKind, callerId, callerUserId, callerName }: ScimRequest): Caller | null =>
  callerKind === null ? null : { kind: callerKind, id: callerId, userId: callerUserId, name: callerName ?? '' };

/** The entry as the tenant keeps it. */
export const toScimRequest = (tenantId: number, { time, caller, ...rest }: Schemas['ScimRequest']): ScimRequest => ({
  ...rest,
  tenantId,
  occurredAt: new Date(time),
  callerKind: caller?.kind ?? null,
  callerId: caller?.id ?? null,
  callerUserId: caller?.userId ?? null,
  callerName: caller?.name ?? null,
});
