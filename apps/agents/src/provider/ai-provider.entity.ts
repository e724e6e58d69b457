import type { Schemas } from '@plinth/contract';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The provider of language models that an account has set. */
@Entity()
export class AiProvider {
  @PrimaryColumn('bigint')
  tenantId!: number;

  @Column('text')
  kind!: Schemas['AiProviderKind'];

  @Column('text')
  baseUrl!: string;

  @Column('text')
  model!: string;

  /** Null for a provider that wants no key. */
  @Column('text', { nullable: true })
  sealedKey!: string | null;

  /** Null for no limit. */
  @Column('bigint', { nullable: true })
  monthlyTokens!: number | null;

  /** Null for no limit. */
  @Column('bigint', { nullable: true })
  monthlyTokensPerUser!: number | null;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
