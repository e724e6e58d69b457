import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An open dev mode: until it ends, the credential's requests that name no branch use this one. */
@Entity('dev_session')
export class DevSession {
  @PrimaryColumn('bigint')
  tenantId!: number;

  @PrimaryColumn('bigint')
  deploymentId!: number;

  @PrimaryColumn('text')
  credentialId!: string;

  @Column('bigint')
  branchId!: number;

  @Column('timestamptz', { default: () => 'now()' })
  startedAt!: Date;
}
