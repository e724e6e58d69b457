import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A role that a user holds. Being an administrator is a property of the user, and never stands here. */
@Entity()
export class RoleAssignment {
  @PrimaryColumn('bigint')
  userId!: number;

  @PrimaryColumn('bigint')
  roleId!: number;

  @Column('bigint')
  tenantId!: number;
}

/** A role that every member of a group holds. */
@Entity()
export class GroupRoleAssignment {
  @PrimaryColumn('bigint')
  groupId!: number;

  @PrimaryColumn('bigint')
  roleId!: number;

  @Column('bigint')
  tenantId!: number;
}
