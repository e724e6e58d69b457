import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ReleaseChannel } from './version-catalogue';

/** A version that a tenant has run; it stays possible when its channel has moved on. */
@Entity()
export class DeploymentVersionUse {
  @PrimaryColumn('bigint')
  tenantId!: number;

  @PrimaryColumn('text')
  releaseChannel!: ReleaseChannel;

  @PrimaryColumn('text')
  version!: string;

  @Column('timestamptz', { default: () => 'now()' })
  lastUsedAt!: Date;
}
