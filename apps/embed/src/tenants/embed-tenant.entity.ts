import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A customer of the host application, with users and groups that no other one sees. */
@Entity()
export class EmbedTenant {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** The account. */
  @Column('bigint')
  tenantId!: number;

  /** In lower case; unique in the account. */
  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  displayName!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
