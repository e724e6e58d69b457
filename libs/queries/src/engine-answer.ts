import { AppError } from '@plinth/errors';
import type { StreamReply } from '@plinth/messaging';

/** An answer of an engine, read to its end. Its status is that of HTTP. */
export interface EngineAnswer {
  status: number;
  text: string;
}

/** Of one answer; 50,000 rows of twenty columns have about a third. */
export const ANSWER_LIMIT_BYTES = 64 << 20;

/** @throws AppError `report.result_too_large` (400) */
export async function readAnswer(
  { headers, stream }: StreamReply,
  limitBytes = ANSWER_LIMIT_BYTES,
): Promise<EngineAnswer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stream) {
    length += part.length;
    if (length > limitBytes) {
      throw new AppError('report.result_too_large', `The result is larger than ${limitBytes} bytes: ask for less`);
    }
    parts.push(part);
  }
  return { status: Number(headers['status'] ?? 200), text: Buffer.concat(parts).toString('utf8') };
}

/** What the engine says is wrong; undefined when nothing is. */
export function problemIn({ status, text }: EngineAnswer): string | undefined {
  const isShort = text.length < 100_000;
  const said = isShort && text.includes('"error"') ? errorOf(text) : undefined;
  return said ?? (status >= 400 ? `The engine answered ${status}` : undefined);
}

/** `cubesql` answers lines, one of which is the error. */
function errorOf(text: string): string | undefined {
  for (const line of text.split('\n').filter((each) => each.startsWith('{'))) {
    const { error } = jsonOf(line) as { error?: unknown };
    if (typeof error === 'string') return error;
  }
  return undefined;
}

/** @throws AppError `engine.unavailable` (503) for an answer that was cut off. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new AppError('engine.unavailable', 'The answer of the engine could not be read', { cause: error });
  }
}
