import { integer, setting, type ConfigOf } from '@plinth/config';

/** What an operator can set on answers of agents. */
export const turnSettings = {
  agentTurnsMax: setting(
    'PLINTH_AGENT_TURNS_MAX',
    integer(1, 10_000).default(200),
    'Questions that a process answers at a time. Further ones get 503.',
  ),
  agentTurnsPerAccountMax: setting(
    'PLINTH_AGENT_TURNS_PER_ACCOUNT_MAX',
    integer(1, 10_000).default(100),
    'Questions of one account that a process answers at a time. Further ones get 503.',
  ),
  agentTurnTimeoutMs: setting(
    'PLINTH_AGENT_TURN_TIMEOUT_MS',
    integer(1_000, 3_600_000).default(300_000),
    'Longest time that one answer of an agent may take, in milliseconds.',
  ),
};

export type TurnConfig = ConfigOf<typeof turnSettings>;
