import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What tools are about where a call does not say. */
@Entity()
export class McpDefaults {
  @PrimaryColumn('bigint')
  tenantId!: number;

  @Column('bigint')
  deploymentId!: number;

  /** Null for the automatic agent. */
  @Column('bigint', { nullable: true })
  agentId!: number | null;
}
