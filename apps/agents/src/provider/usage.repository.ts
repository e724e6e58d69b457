import { BaseRepository, type Transaction } from '@plinth/database';

/** Stands for all that an account has used in a month. */
const ACCOUNT = 'account';

export interface UsageRow {
  /** As `2026-03`. */
  month: string;
  identity: string;
  turns: number;
  inputTokens: number;
  outputTokens: number;
}

export type Tokens = Pick<UsageRow, 'inputTokens' | 'outputTokens'>;

const MONTH = `to_char(month, 'YYYY-MM')`;
const THIS_MONTH = `date_trunc('month', now() at time zone 'UTC')::date`;

export class UsageRepository extends BaseRepository {
  /** Counts one turn of the identity, and of its account. */
  async add(tx: Transaction, tenantId: number, identity: string, { inputTokens, outputTokens }: Tokens): Promise<void> {
    await this.managerFor(tx).query(
      `insert into ai_usage (tenant_id, month, identity, turns, input_tokens, output_tokens)
       select $1, ${THIS_MONTH}, identity, 1, $3, $4 from unnest($2::text[]) identity order by identity
       on conflict (tenant_id, month, identity) do update set turns = ai_usage.turns + 1,
         input_tokens = ai_usage.input_tokens + excluded.input_tokens,
         output_tokens = ai_usage.output_tokens + excluded.output_tokens`,
      [tenantId, [ACCOUNT, identity], inputTokens, outputTokens],
    );
  }

  /** Tokens of this month: of the account, and of the identity. */
  async spent(tx: Transaction, tenantId: number, identity: string): Promise<{ account: number; own: number }> {
    const rows = await this.managerFor(tx).query<{ identity: string; tokens: number }[]>(
      `select identity, (input_tokens + output_tokens)::bigint as tokens from ai_usage
       where tenant_id = $1 and month = ${THIS_MONTH} and identity = any($2::text[])`,
      [tenantId, [ACCOUNT, identity]],
    );
    const of = (wanted: string): number => Number(rows.find((row) => row.identity === wanted)?.tokens ?? 0);
    return { account: of(ACCOUNT), own: of(identity) };
  }

  /** Newest month first, each by its identities; those after a position when it is given. */
  list(
    tx: Transaction,
    tenantId: number,
    month: string | undefined,
    limit: number,
    after?: { month: string; identity: string },
  ): Promise<UsageRow[]> {
    return this.managerFor(tx).query<UsageRow[]>(
      `select ${MONTH} as month, identity, turns, input_tokens as "inputTokens", output_tokens as "outputTokens"
       from ai_usage
       where tenant_id = $1 and identity <> '${ACCOUNT}' and ($2::text is null or month = ($2 || '-01')::date)
         and ($3::text is null or month < ($3 || '-01')::date or (month = ($3 || '-01')::date and identity > $4))
       order by month desc, identity limit $5`,
      [tenantId, month ?? null, after?.month ?? null, after?.identity ?? null, limit],
    );
  }
}
