import { AppError } from '@plinth/errors';
import {
  stepCountIs,
  streamText,
  ToolChoiceViolationError,
  type LanguageModel,
  type ModelMessage,
  type TextStreamPart,
  type ToolSet,
} from 'ai';
import { problemOf, tokensOf, type Tokens } from '../provider';
import { harmlessText } from './harmless-text';
import { complete, completeAnswer, newAnswer, newText, newThought, newToolCall, type Message } from './messages';
import type { TurnOutcome } from './turn-metrics';
import type { TurnRecord } from './turn-record';

type Part = TextStreamPart<ToolSet>;

/** How often the model is asked in one turn, the last time without tools. */
const MOST_STEPS = 8;
/** Of one message, in characters. */
const MOST_TEXT = 100_000;
/** That a model may say and do in one turn: each is looked at for every reader with every word that comes. */
const MOST_MESSAGES = 200;
/** About, where a call ends before the provider says what it took. */
const CHARACTERS_PER_TOKEN = 4;

export interface ConversationOptions {
  model: LanguageModel;
  system: string;
  messages: ModelMessage[];
  tools: ToolSet;
  signal: AbortSignal;
  /** Called once, when the model says or does something first. */
  onFirstPart: () => void;
}

/** Lets a model think and use tools until it has an answer, and writes down what it says and does. */
export class Conversation {
  readonly used: Tokens = { inputTokens: 0, outputTokens: 0 };
  private text: Message | undefined;
  private thought: Message | undefined;
  private readonly calls = new Map<string, Message>();
  private isAnswered = false;
  private messages = 0;
  /** Characters of the call that is under way, whose tokens the provider has not told yet. */
  private untold = { hasBegun: false, sent: 0, received: 0 };

  /** @param sort place of the first message. */
  constructor(
    private readonly record: TurnRecord,
    private sort: number,
  ) {}

  /** Ends with an answer in the record, if only that there is none. @throws when the signal is aborted. */
  async hold({ signal, ...options }: ConversationOptions): Promise<TurnOutcome> {
    const problem = await this.converse({ signal, ...options }).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (signal.aborted || this.untold.hasBegun) this.countUntold();
    signal.throwIfAborted();
    if (problem === undefined && this.isAnswered) return 'answered';
    const { failure, sentence } = problem === undefined ? noAnswer : endOf(problem);
    this.stop(sentence);
    return failure;
  }

  /** Ends where it is, with a sentence where there is one. */
  stop(sentence: string | undefined): void {
    this.closeAll();
    if (sentence !== undefined) this.answer(sentence);
  }

  /** Says something in place of the model. */
  private answer(sentence: string): void {
    this.record.add(newAnswer(this.sort++, sentence));
    this.isAnswered = true;
  }

  private async converse({ signal, onFirstPart, ...options }: ConversationOptions): Promise<void> {
    let hasBegun = false;
    // Who stops to read does not end the call by that.
    const over = new AbortController();
    const { fullStream } = streamText({
      ...options,
      abortSignal: AbortSignal.any([signal, over.signal]),
      maxRetries: 0,
      stopWhen: stepCountIs(MOST_STEPS),
      prepareStep: ({ stepNumber, messages }) => {
        const sent = options.system.length + JSON.stringify(messages).length;
        this.untold = { hasBegun: false, sent, received: 0 };
        return stepNumber === MOST_STEPS - 1 ? { toolChoice: 'none' } : {};
      },
      onError: () => undefined,
    });
    try {
      for await (const part of fullStream) {
        if (!hasBegun && firstParts.has(part.type)) onFirstPart();
        hasBegun ||= firstParts.has(part.type);
        this.take(part);
      }
    } finally {
      over.abort();
    }
  }

  private take(part: Part): void {
    switch (part.type) {
      case 'start-step':
        this.untold.hasBegun = true;
        return;
      case 'text-delta':
        this.thought = this.close(this.thought);
        this.text ??= this.add(newText(this.sort++));
        return this.grow(this.text, 'content', part.text);
      case 'reasoning-delta':
        this.thought ??= this.add(newThought(this.sort++));
        return this.grow(this.thought, 'thinking', part.text);
      case 'tool-call':
        return this.called(part.toolCallId, part.toolName, part.input);
      case 'tool-result':
        return this.returned(part.toolCallId, part.output);
      case 'tool-error':
        return this.returned(part.toolCallId, { error: toolFailure(part.error) });
      case 'finish-step':
        return this.stepped(part);
      case 'error':
        // A model that wants tools where there are none any more has come to no answer.
        if (ToolChoiceViolationError.isInstance(part.error)) return;
        throw part.error;
      default:
    }
  }

  private add(message: Message): Message {
    this.messages += 1;
    if (this.messages > MOST_MESSAGES) throw tooLong();
    return this.record.add(message);
  }

  private grow(message: Message, field: 'content' | 'thinking', piece: string): void {
    this.untold.received += piece.length;
    const said = message.line[field] ?? '';
    const text = said + harmlessText(said, piece);
    if (text.length > MOST_TEXT) throw tooLong();
    message.line[field] = text;
    this.record.changed();
  }

  private called(id: string, name: string, input: unknown): void {
    // What was said before a tool is called is no answer.
    this.thought = this.close(this.thought);
    this.text = this.close(this.text);
    const text = typeof input === 'string' ? input : JSON.stringify(input ?? {});
    this.untold.received += text.length;
    this.calls.set(id, this.add(newToolCall(this.sort++, name, text.slice(0, MOST_TEXT))));
  }

  private returned(id: string, output: unknown): void {
    const message = this.calls.get(id);
    if (!message?.line.toolCall) return;
    complete(message, { toolCall: { ...message.line.toolCall, result: JSON.stringify(output ?? null) } });
    this.record.changed();
  }

  private stepped({ usage, finishReason }: Extract<Part, { type: 'finish-step' }>): void {
    this.count(tokensOf(usage));
    const goesOn = finishReason === 'tool-calls';
    const isAnswer = !goesOn && this.text !== undefined && this.text.line.content.trim() !== '';
    if (isAnswer && this.text) completeAnswer(this.text);
    this.isAnswered ||= isAnswer;
    this.closeAll();
  }

  /** A call that is broken off costs what it has cost: whoever ends each answer in time would ask without a budget. */
  private countUntold(): void {
    const { sent, received } = this.untold;
    this.count({ inputTokens: aboutTokens(sent), outputTokens: aboutTokens(received) });
  }

  private count({ inputTokens, outputTokens }: Tokens): void {
    this.used.inputTokens += inputTokens;
    this.used.outputTokens += outputTokens;
    this.untold = { hasBegun: false, sent: 0, received: 0 };
  }

  private close(message: Message | undefined): undefined {
    if (message?.line.isInProcess) complete(message);
  }

  private closeAll(): void {
    for (const message of this.calls.values()) this.close(message);
    this.thought = this.close(this.thought);
    this.text = this.close(this.text);
    this.calls.clear();
    this.record.changed();
  }
}

const firstParts: ReadonlySet<Part['type']> = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-input-start',
  'tool-call',
]);

const aboutTokens = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN);

const tooLong = (): AppError => new AppError('request.too_large', 'The answer became too long.');

const noAnswer = {
  failure: 'no-answer',
  sentence: `The agent has not come to an answer within ${MOST_STEPS} steps.`,
} as const;

const endOf = (problem: unknown): { failure: TurnOutcome; sentence: string } =>
  problem instanceof AppError ? { failure: 'no-answer', sentence: problem.message } : problemOf(problem);

/** A tool that there is not, or an input that does not fit; what fails within a tool has no public reason. */
function toolFailure(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  if (name === 'AI_NoSuchToolError') return 'There is no such tool.';
  if (name === 'AI_InvalidToolInputError') return 'The input of the tool is not valid.';
  return typeof error === 'string' && error.length < 500 ? error : 'The tool has failed.';
}
