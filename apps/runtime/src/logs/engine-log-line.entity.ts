import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A line that an engine, or its runtime about it, has written. */
@Entity()
export class EngineLogLine {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('bigint')
  deploymentId!: number;

  @Column('bigint')
  environmentId!: number;

  @Column('text')
  pod!: string;

  @Column('text')
  container!: 'INIT' | 'cubejs-server';

  @Column('text')
  message!: string;

  @Column('timestamptz')
  loggedAt!: Date;
}
