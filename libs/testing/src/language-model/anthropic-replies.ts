import { callsOf, textOf, thoughtOf, type ScriptedReply } from './replies';

/** What the model reports to have used, in the words of Anthropic. */
const usage = { input_tokens: 10, output_tokens: 5 };
const head = { id: 'scripted', type: 'message', role: 'assistant', model: 'scripted' };

const reasonOf = (reply: ScriptedReply): string => (callsOf(reply).length > 0 ? 'tool_use' : 'end_turn');
const inputText = (input: object | string): string => (typeof input === 'string' ? input : JSON.stringify(input));

/** The answer to a request without `stream`. */
export const message = (reply: ScriptedReply): object => ({
  ...head,
  content: [{ type: 'text', text: textOf(reply) }],
  stop_reason: reasonOf(reply),
  stop_sequence: null,
  usage,
});

/** The beginning of an answer to a request with `stream`: everything that is said. */
export function* messageEvents(reply: ScriptedReply): Generator<string> {
  yield event('message_start', { message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage } });
  for (const [index, { block, deltas }] of blocksOf(reply).entries()) {
    yield event('content_block_start', { index, content_block: block });
    for (const delta of deltas) yield event('content_block_delta', { index, delta });
    yield event('content_block_stop', { index });
  }
}

/** Its end. */
export const endingEvents = (reply: ScriptedReply): string =>
  event('message_delta', { delta: { stop_reason: reasonOf(reply), stop_sequence: null }, usage }) +
  event('message_stop', {});

function blocksOf(reply: ScriptedReply): { block: object; deltas: object[] }[] {
  const thought = thoughtOf(reply);
  const words = textOf(reply).match(/\S+\s*/g) ?? [];
  const calls = callsOf(reply).map(({ name, input }, index) => ({
    block: { type: 'tool_use', id: `call-${index}-${name}`, name, input: {} },
    deltas: [{ type: 'input_json_delta', partial_json: inputText(input) }],
  }));
  return [
    ...(thought
      ? [
          {
            block: { type: 'thinking', thinking: '', signature: '' },
            deltas: [{ type: 'thinking_delta', thinking: thought }],
          },
        ]
      : []),
    ...(words.length > 0
      ? [{ block: { type: 'text', text: '' }, deltas: words.map((text) => ({ type: 'text_delta', text })) }]
      : []),
    ...calls,
  ];
}

const event = (type: string, more: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
