import { AppError } from '@plinth/errors';
import type { StreamReply } from '@plinth/messaging';

/** Of one answer. An agent has no use for more rows: it is to ask for sums. */
const LIMIT_BYTES = 8 << 20;

/** @throws AppError `report.result_too_large` (400) */
export async function readAnswer({ headers, stream }: StreamReply): Promise<{ status: number; text: string }> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stream) {
    length += part.length;
    if (length > LIMIT_BYTES) throw new AppError('report.result_too_large', 'The result is too large: ask for less');
    parts.push(part);
  }
  return { status: Number(headers['status'] ?? 200), text: Buffer.concat(parts).toString('utf8') };
}

/** What the engine says is wrong; undefined when nothing is. `cubesql` says it in a line among others. */
export function problemIn({ status, text }: { status: number; text: string }): string | undefined {
  for (const line of text.length < 100_000 && text.includes('"error"') ? text.split('\n') : []) {
    const error = line.startsWith('{') ? (jsonOf(line) as { error?: unknown }).error : undefined;
    if (typeof error === 'string') return error;
  }
  return status >= 400 ? `The engine answered ${status}` : undefined;
}

/** @throws AppError `engine.unavailable` (503) for an answer that was cut off. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new AppError('engine.unavailable', 'The answer of the engine could not be read', { cause: error });
  }
}
