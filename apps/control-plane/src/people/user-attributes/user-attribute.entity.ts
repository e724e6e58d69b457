import type { AttributeType } from '@plinth/user-attributes';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A fact that the tenant keeps about each of its users, for data policies. */
@Entity()
export class UserAttribute {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  /** How data models refer to it; unique in the tenant. */
  @Column('text')
  name!: string;

  @Column('text')
  type!: AttributeType;

  /** As text, whatever the type; see `parseValue`. */
  @Column('text', { nullable: true })
  defaultValue!: string | null;

  @Column('text', { nullable: true })
  displayName!: string | null;

  @Column('text', { nullable: true })
  description!: string | null;
}
