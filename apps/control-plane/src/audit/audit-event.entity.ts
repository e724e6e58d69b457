import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** One line of a tenant's audit log. */
@Entity()
export class AuditEvent {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('uuid')
  eventId!: string;

  @Column('timestamptz')
  occurredAt!: Date;

  @Column('text')
  event!: string;

  @Column('text')
  actorType!: string;

  @Column('text')
  actorId!: string;

  @Column('text', { nullable: true })
  actorEmail!: string | null;

  @Column('text', { nullable: true })
  clientIp!: string | null;

  @Column('bigint', { nullable: true })
  deploymentId!: number | null;

  @Column('text', { nullable: true })
  requestId!: string | null;

  @Column('jsonb')
  attributes!: Record<string, unknown>;
}
