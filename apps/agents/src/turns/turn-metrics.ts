import { Inject, Injectable } from '@nestjs/common';
import { METRICS } from '@plinth/host';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ProviderFailure, Tokens } from '../provider';

/** What has become of a turn: a kind of failure of the provider, or one of these. */
export type TurnOutcome = ProviderFailure | 'answered' | 'no-answer' | 'aborted' | 'too-long' | 'restarted' | 'broken';

/** Figures of answers of agents. */
@Injectable()
export class TurnMetrics {
  private readonly running: Gauge;
  private readonly ended: Counter<'outcome'>;
  private readonly tokens: Counter<'direction'>;
  private readonly firstPart: Histogram;

  constructor(@Inject(METRICS) registry: Registry) {
    const registers = [registry];
    this.running = new Gauge({
      name: 'plinth_agents_turns_running',
      registers,
      help: 'Questions that are being answered',
    });
    this.ended = new Counter({
      name: 'plinth_agents_turns_total',
      registers,
      labelNames: ['outcome'],
      help: 'Questions that were answered, or what became of them otherwise',
    });
    this.tokens = new Counter({
      name: 'plinth_agents_tokens_total',
      registers,
      labelNames: ['direction'],
      help: 'Tokens that providers of language models say they took',
    });
    this.firstPart = new Histogram({
      name: 'plinth_agents_first_part_seconds',
      registers,
      buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60],
      help: 'Time from a question to the first word or call of a tool of the language model, in seconds',
    });
  }

  /** Returns what is told how it ends. */
  begin(): (outcome: TurnOutcome, used: Tokens) => void {
    this.running.inc();
    return (outcome, { inputTokens, outputTokens }) => {
      this.running.dec();
      this.ended.inc({ outcome });
      this.tokens.inc({ direction: 'input' }, inputTokens);
      this.tokens.inc({ direction: 'output' }, outputTokens);
    };
  }

  firstPartAfter(seconds: number): void {
    this.firstPart.observe(seconds);
  }
}
