import type { ModelMessage } from 'ai';
import type { ChatLine } from '../threads';

/** What of a result a model is reminded of, in characters. */
const MOST_RESULT = 4_000;
/** Of all that was said before, in characters. */
const MOST_HISTORY = 100_000;

/** What was said in a thread, as models take it: from a question on, and no more than they can bear. */
export function historyOf(lines: readonly ChatLine[]): ModelMessage[] {
  let room = MOST_HISTORY;
  const kept = [...lines].reverse().filter((line) => {
    room -= line.content.length + Math.min(MOST_RESULT, line.toolCall?.result?.length ?? 0);
    return room > 0;
  });
  const ordered = kept.reverse();
  const first = ordered.findIndex(({ role }) => role === 'user');
  return ordered.slice(first).flatMap(messagesOf);
}

function messagesOf({ role, content, toolCall, sort }: ChatLine): ModelMessage[] {
  if (role === 'user') return [{ role, content }];
  if (!toolCall?.result) return content === '' ? [] : [{ role: 'assistant', content }];
  const call = { toolCallId: `earlier-${sort}`, toolName: toolCall.name };
  const value = toolCall.result.slice(0, MOST_RESULT);
  return [
    { role: 'assistant', content: [{ type: 'tool-call', ...call, input: inputOf(toolCall.input) }] },
    { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value } }] },
  ];
}

/** Models write inputs that are no JSON; nobody is to stumble over them again. */
function inputOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return {};
  }
}
