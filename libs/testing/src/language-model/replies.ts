/** A call of a tool, as a language model writes it; a text goes out as it is, also when it is no JSON. */
export interface ScriptedToolCall {
  name: string;
  input: object | string;
}

/** What the scripted model does with one request. */
export type ScriptedReply =
  | { says: string; thinks?: string; calls?: readonly ScriptedToolCall[] }
  | { calls: readonly ScriptedToolCall[] }
  | { status: number; body?: string }
  /** Says something, perhaps nothing, and then no more, for ever or until the promise. */
  | { says: string; stalls: true | Promise<void> }
  /** Says one word after the other, each so many milliseconds after the one before. */
  | { says: string; everyMs: number }
  /** Says something, and the connection is gone. */
  | { says: string; isCut: true }
  /** Bytes that are no answer. */
  | { bytes: string | Uint8Array };

/** What the model reports to have used in each answer. */
const SCRIPTED_USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const toolCalls = (calls: readonly ScriptedToolCall[]) =>
  calls.map(({ name, input }, index) => ({
    index,
    id: `call-${index}-${name}`,
    type: 'function',
    function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  }));

export const callsOf = (reply: ScriptedReply): readonly ScriptedToolCall[] => ('calls' in reply && reply.calls) || [];
export const textOf = (reply: ScriptedReply): string => ('says' in reply ? reply.says : '');
export const thoughtOf = (reply: ScriptedReply): string => ('thinks' in reply ? (reply.thinks ?? '') : '');
const reasonOf = (reply: ScriptedReply): string => (callsOf(reply).length > 0 ? 'tool_calls' : 'stop');

/** The answer to a request without `stream`. */
export const completion = (reply: ScriptedReply): object => ({
  id: 'scripted',
  created: 1,
  model: 'scripted',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: textOf(reply), tool_calls: toolCalls(callsOf(reply)) },
      finish_reason: reasonOf(reply),
    },
  ],
  usage: SCRIPTED_USAGE,
});

/** The beginning of an answer to a request with `stream`: everything that is said. */
export function* openingEvents(reply: ScriptedReply): Generator<string> {
  if (thoughtOf(reply)) yield event({ reasoning_content: thoughtOf(reply) });
  for (const word of textOf(reply).match(/\S+\s*/g) ?? []) yield event({ content: word });
  const calls = toolCalls(callsOf(reply));
  if (calls.length > 0) yield event({ tool_calls: calls });
}

/** Its end. */
export const closingEvents = (reply: ScriptedReply): string =>
  `${event({}, reasonOf(reply))}${data({ ...head, choices: [], usage: SCRIPTED_USAGE })}data: [DONE]\n\n`;

const head = { id: 'scripted', created: 1, model: 'scripted', object: 'chat.completion.chunk' };
const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const event = (delta: object, finish: string | null = null): string =>
  data({ ...head, choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: finish }] });
