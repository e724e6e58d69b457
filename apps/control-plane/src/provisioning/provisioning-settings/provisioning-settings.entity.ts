import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What users get from provisioning; its row exists once something was changed. */
@Entity()
export class ProvisioningSettings {
  @PrimaryColumn('bigint')
  tenantId!: number;

  /** Null for Viewer. */
  @Column('bigint', { nullable: true })
  defaultRoleId!: number | null;
}

/** The role that goes with a group of the identity provider. */
@Entity()
export class ProvisioningGroupRole {
  @PrimaryColumn('bigint')
  tenantId!: number;

  /** Place in the list of the tenant. */
  @PrimaryColumn('integer')
  position!: number;

  /** Unique in the tenant, in whatever case. */
  @Column('text')
  groupName!: string;

  @Column('bigint')
  roleId!: number;
}
