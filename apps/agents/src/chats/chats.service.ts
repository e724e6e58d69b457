import { randomInt, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf } from '@plinth/contract';
import { Database, recordAction, type Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus, StreamReply } from '@plinth/messaging';
import type { Agent } from '../agents';
import { Askers, type Asker } from '../askers';
import { Connections, type Connection } from '../provider';
import { Skills } from '../skills';
import { ThreadsRepository, ThreadsService, TURN_ENDED, type ChatLine, type ChatThread, type Turn } from '../threads';
import { questionLine, Turns } from '../turns';
import { AbandonedTurns } from './abandoned-turns.service';
import { ChatPlaces, timeZoneOf, type ChatAddress } from './chat-places.service';
import { ChatStreams } from './chat-streams.service';

type Question = BodyOf<'streamChatState'>;

/** What becomes of a question: a turn of its own, or the stream of one that was asked before. */
type Begun = { turn: Turn; question: ChatLine; history: readonly ChatLine[] } | { thread: ChatThread; from: number };

/** Messages of a thread that a model is reminded of at most. */
const MOST_REMEMBERED = 60;
/** Of a thread, before the last question. */
const MOST_MESSAGES = 5_000;
const TITLE_CHARACTERS = 100;

/** Takes questions. */
@Injectable()
export class ChatsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) private readonly bus: Bus,
    private readonly askers: Askers,
    private readonly places: ChatPlaces,
    private readonly connections: Connections,
    private readonly skills: Skills,
    private readonly threads: ThreadsRepository,
    private readonly owned: ThreadsService,
    private readonly abandoned: AbandonedTurns,
    private readonly turns: Turns,
    private readonly streams: ChatStreams,
  ) {}

  /**
   * @throws AppError `ai_provider.missing`, `chat.streaming`, `chat.full` (409), `ai_budget.spent` (429), `chat.not_found` (404),
   *   `chat.foreign` (403), `chat.overloaded` (503), and what {@link ChatPlaces} and {@link Askers} throw
   */
  async stream(principal: Principal, address: ChatAddress, body: Question): Promise<StreamReply> {
    const agent = await this.places.agentFor(principal, address);
    const asker = await this.askers.find(principal, body.sessionSettings);
    const timeZone = timeZoneOf(body, asker);
    if (body.input === undefined) return this.state(asker, agent, body.chatId);
    const [connection, reader] = await Promise.all([
      this.connections.require(asker.tenantId),
      this.places.readerFor(principal, agent, asker, body),
    ]);
    const { deploymentId, environment } = reader;
    const skills = await this.skills.usable(asker.tenantId, deploymentId, environment.branchName);
    const leave = this.turns.takePlace(asker.tenantId);
    try {
      const question = { ...body, input: body.input };
      const begun = await this.database.transaction(asker.tenantId, (tx) =>
        this.begin(tx, principal, { agent, asker, connection }, question),
      );
      if ('thread' in begun) {
        leave();
        return this.join(asker, begun.thread, begun.from);
      }
      const running = this.turns.start({ ...begun, agent, asker, connection, reader, skills, timeZone }, leave);
      return this.streams.ofTurn(begun.turn.threadId, running);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** @throws as {@link stream} */
  async abort(principal: Principal, address: ChatAddress, body: BodyOf<'abortChat'>): Promise<undefined> {
    const agent = await this.places.agentFor(principal, address);
    const asker = await this.askers.find(principal, body.sessionSettings);
    const turnId = await this.database.mutate(principal, async (tx) => {
      const thread = await this.thread(tx, asker, agent, body.chatId);
      const { id: threadId, turnId } = thread;
      if (turnId !== null) await this.threads.end(tx, { threadId, turnId });
      return turnId;
    });
    if (turnId !== null) this.bus.publish({ topic: TURN_ENDED, payload: { turnId } });
    return undefined;
  }

  private async state(asker: Asker, agent: Agent, chatId: string | undefined): Promise<StreamReply> {
    if (chatId === undefined) throw invalidRequest('/body/input', 'is required where there is no chatId');
    return this.database.transaction(asker.tenantId, async (tx) => {
      const thread = await this.thread(tx, asker, agent, chatId);
      return this.streams.ofThread(thread, await this.threads.messages(tx, chatId));
    });
  }

  private join({ tenantId }: Asker, thread: ChatThread, from: number): StreamReply {
    const running = thread.turnId === null ? undefined : this.turns.find(thread.turnId);
    return running ? this.streams.ofTurn(thread.id, running) : this.streams.ofQuestion(tenantId, thread, from);
  }

  private async begin(
    tx: Transaction,
    principal: Principal,
    { agent, asker, connection }: { agent: Agent; asker: Asker; connection: Connection },
    { input, chatId, messageId = newMessageId() }: Question & { input: string },
  ): Promise<Begun> {
    const threadId = chatId ?? randomUUID();
    const { tenantId, identity } = asker;
    if (chatId !== undefined) {
      const thread = await this.thread(tx, asker, agent, chatId, true);
      const from = await this.threads.placeOf(tx, chatId, messageId);
      if (from !== undefined && isFree(thread, messageId)) return { thread, from };
      if (thread.turnId !== null) throw new AppError('chat.streaming', 'The thread is streaming another answer');
    }
    await this.connections.requireBudget(tx, tenantId, identity, connection);
    if (chatId === undefined) {
      const title = input.trim().slice(0, TITLE_CHARACTERS);
      const { id: agentId, deploymentId } = agent;
      await this.threads.insert(tx, tenantId, { id: threadId, agentId, deploymentId, owner: identity, title });
    }
    const place = await this.threads.nextPlace(tx, threadId);
    if (place >= MOST_MESSAGES) throw new AppError('chat.full', 'The thread is full: ask without a chatId');
    const history = await this.threads.messages(tx, threadId, 0, MOST_REMEMBERED);
    const question = questionLine(messageId, input, place);
    const turn = { threadId, turnId: randomUUID() };
    await this.threads.begin(tx, turn, messageId);
    await this.threads.add(tx, tenantId, turn, [question]);
    const attributes = { agentId: agent.id, chatId: threadId };
    recordAction(tx, principal, { event: 'Asked agent', attributes, deploymentId: agent.deploymentId });
    return { turn, question, history };
  }

  /** @throws AppError `chat.not_found` (404) also for a thread of another agent, `chat.foreign` (403) */
  private async thread(tx: Transaction, asker: Asker, agent: Agent, chatId: string, lock = false): Promise<ChatThread> {
    const thread = await this.owned.require(tx, asker.identity, chatId, lock);
    if (thread.agentId !== agent.id) throw new AppError('chat.not_found', 'There is no such thread of this agent');
    await this.abandoned.settle(tx, asker.tenantId, thread);
    return thread;
  }
}

/** Two questions of one millisecond are not one. */
const newMessageId = (): string => `${Date.now()}${randomInt(100_000, 1_000_000)}-message`;

/** Whether nothing but the answer to the message is under way. */
const isFree = ({ turnId, runningMessageId }: ChatThread, messageId: string): boolean =>
  turnId === null || runningMessageId === messageId;
