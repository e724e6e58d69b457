import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** The built-in groups are what content is shared with; who is in them follows from what they are. */
export type EmbedGroupKind = 'own' | 'tenant' | 'everyone';

/** A group of embed users: one that an embed tenant has made, all of an embed tenant, or all of the account. */
@Entity()
export class EmbedGroup {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  /** Null for the group of everyone. */
  @Column('bigint', { nullable: true })
  embedTenantId!: number | null;

  @Column('text')
  kind!: EmbedGroupKind;

  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
