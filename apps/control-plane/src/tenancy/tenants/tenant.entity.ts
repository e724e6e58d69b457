import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** An account: users, deployments and hosts of its own. */
@Entity()
export class Tenant {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('text')
  name!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}

/** A host name under which a tenant is served. */
@Entity()
export class TenantHost {
  @PrimaryColumn('text')
  host!: string;

  @Column('bigint')
  tenantId!: number;
}
