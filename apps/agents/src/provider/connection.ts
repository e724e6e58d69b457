import type { Schemas } from '@plinth/contract';

/** How the language model of an account is reached, and how much of it may be used. */
export interface Connection {
  source: 'account' | 'operator';
  kind: Schemas['AiProviderKind'];
  baseUrl: string;
  model: string;
  /** Null for a provider that wants none. */
  key: string | null;
  monthlyTokens: number | null;
  monthlyTokensPerUser: number | null;
}

export const toContract = ({ key, ...shown }: Connection): Schemas['AiProvider'] => ({
  ...shown,
  hasKey: key !== null,
});
