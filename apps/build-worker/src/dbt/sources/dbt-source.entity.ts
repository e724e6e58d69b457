import type { Schemas } from '@plinth/contract';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What an administrator has set of a dbt project; all but the address and the secrets. */
export type SourceSettings = Pick<
  Schemas['DbtSource'],
  | 'username'
  | 'branch'
  | 'projectPath'
  | 'targetName'
  | 'targetSchema'
  | 'targetDatabase'
  | 'adapter'
  | 'variables'
  | 'options'
>;

/** The dbt project of a deployment. */
@Entity('dbt_source')
export class DbtSource {
  @PrimaryColumn('bigint')
  deploymentId!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('text')
  url!: string;

  @Column('jsonb')
  settings!: SourceSettings;

  @Column('text', { nullable: true })
  sealedToken!: string | null;

  @Column('text', { nullable: true })
  sealedWebhookSecret!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
