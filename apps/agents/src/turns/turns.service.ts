import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '@plinth/database';
import { BUS, CONFIG, LOGGER } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { requestContext, runInContext, type Logger } from '@plinth/observability';
import { QueryRunner, type EngineCaller } from '@plinth/queries';
import type { Agent } from '../agents';
import type { Asker } from '../askers';
import { Models, UsageRepository, type Connection } from '../provider';
import type { Skill } from '../skills';
import { ThreadsRepository, TURN_ENDED, type ChatLine, type Turn } from '../threads';
import { Charts } from './charts.service';
import { Conversation } from './conversation';
import { historyOf } from './history';
import { instructionsFor } from './instructions';
import { RunningTurn } from './running-turn';
import { toolsFor } from './tools';
import { TurnMetrics, type TurnOutcome } from './turn-metrics';
import { TurnEnd } from './turn-end';
import { TurnPlaces } from './turn-places';
import type { TurnConfig } from './turns.config';

/** A question with all that its answer takes. */
export interface TurnPlan {
  turn: Turn;
  agent: Agent;
  asker: Asker;
  connection: Connection;
  reader: EngineCaller;
  skills: readonly Skill[];
  timeZone: string;
  /** What was said before. */
  history: readonly ChatLine[];
  question: ChatLine;
}

/** Gives answers, each in the background: whoever asked may leave and come back. */
@Injectable()
export class Turns implements OnModuleDestroy {
  private readonly running = new Map<string, RunningTurn>();
  private readonly work = new Set<Promise<void>>();
  private readonly places: TurnPlaces;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) bus: Bus,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CONFIG) private readonly config: TurnConfig,
    private readonly threads: ThreadsRepository,
    private readonly usage: UsageRepository,
    private readonly models: Models,
    private readonly queries: QueryRunner,
    private readonly metrics: TurnMetrics,
    private readonly charts: Charts,
  ) {
    this.places = new TurnPlaces({ all: config.agentTurnsMax, ofAccount: config.agentTurnsPerAccountMax });
    bus.subscribe(TURN_ENDED, ({ turnId }) => this.running.get(String(turnId))?.end(new TurnEnd('aborted')));
  }

  /** A place for a question of the account. Returns what gives it back. @throws AppError `chat.overloaded` (503) */
  takePlace(tenantId: number): () => void {
    return this.places.take(tenantId);
  }

  /** The turn as long as this process gives it. */
  find(turnId: string): RunningTurn | undefined {
    return this.running.get(turnId);
  }

  /** @param leave gives the place of the question back. */
  start(plan: TurnPlan, leave: () => void): RunningTurn {
    const { database, threads, usage, logger } = this;
    const { turn, asker } = plan;
    const keeping = { database, threads, usage, logger };
    const running = new RunningTurn(keeping, asker.tenantId, turn, asker.identity);
    this.running.set(turn.turnId, running);
    // What the client does from now on is not the turn's affair.
    const context = { requestId: requestContext()?.requestId ?? turn.turnId, signal: running.signal };
    const work = runInContext(context, () => this.run(plan, running))
      .catch((error: unknown) => logger.error({ err: error, turnId: turn.turnId }, 'a turn could not be ended'))
      .finally(() => {
        leave();
        this.running.delete(turn.turnId);
        this.work.delete(work);
      });
    this.work.add(work);
    return running;
  }

  async onModuleDestroy(): Promise<void> {
    for (const turn of this.running.values()) {
      turn.end(new TurnEnd('restarted', 'The platform is being restarted: ask again.'));
    }
    await Promise.all(this.work);
  }

  private async run(plan: TurnPlan, running: RunningTurn): Promise<void> {
    const { question } = plan;
    const end = this.metrics.begin();
    running.record.add({ line: question, grows: 'nothing', version: 1 });
    const conversation = new Conversation(running.record, question.sort + 1);
    const late = setTimeout(
      () => running.end(new TurnEnd('too-long', 'The answer took too long.')),
      this.config.agentTurnTimeoutMs,
    );
    try {
      end(await this.answer(plan, running, conversation), conversation.used);
    } finally {
      clearTimeout(late);
      await running.close(conversation.used);
    }
  }

  private async answer(plan: TurnPlan, running: RunningTurn, conversation: Conversation): Promise<TurnOutcome> {
    const { agent, connection, question, reader, skills, timeZone, history } = plan;
    const startedAt = performance.now();
    try {
      return await conversation.hold({
        model: this.models.of(connection, agent.model),
        system: instructionsFor({ ...agent, skills, timeZone, now: new Date() }),
        messages: historyOf([...history, question]),
        tools: toolsFor({ queries: this.queries, charts: this.charts }, reader, agent.views),
        signal: running.signal,
        onFirstPart: () => this.metrics.firstPartAfter((performance.now() - startedAt) / 1_000),
      });
    } catch (error) {
      const isEnd = error instanceof TurnEnd;
      if (!isEnd) this.logger.error({ err: error, turnId: plan.turn.turnId }, 'a turn failed');
      conversation.stop(isEnd ? error.sentence : 'Something went wrong on our side.');
      return isEnd ? error.outcome : 'broken';
    }
  }
}
