import type { AttributeValue } from '@plinth/user-attributes';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What one attribute is for one user; without a row, the attribute's default. */
@Entity()
export class UserAttributeValue {
  @PrimaryColumn('bigint')
  userId!: number;

  @PrimaryColumn('bigint')
  userAttributeId!: number;

  @Column('bigint')
  tenantId!: number;

  /** Null when the user is expressly without a value. */
  @Column('jsonb', { nullable: true })
  value!: AttributeValue | null;
}
