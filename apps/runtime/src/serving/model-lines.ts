import { AppError } from '@plinth/errors';
import type { ByteStream } from '@plinth/messaging';
import type { EngineStart } from '../engines';

/** Bytes of a model that an engine is given. */
const MOST_BYTES = 128 * 2 ** 20;

type Line = { root: string } | { path: string; content: string } | { transpiled: [string, string] };

/** The model in a stream of `readServedModel`. @throws AppError `request.too_large` (413) */
export async function readModel(stream: ByteStream): Promise<Pick<EngineStart, 'modelRoot' | 'model' | 'transpiled'>> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new AppError('request.too_large', 'The data model is too large to be served');
    parts.push(chunk);
  }
  const lines = Buffer.concat(parts).toString('utf8').split('\n').filter(Boolean);
  let modelRoot = '';
  const model: { path: string; content: string }[] = [];
  const transpiled: [string, string][] = [];
  for (const line of lines) {
    const entry = JSON.parse(line) as Line;
    if ('root' in entry) modelRoot = entry.root;
    else if ('path' in entry) model.push(entry);
    else transpiled.push(entry.transpiled);
  }
  return { modelRoot, model, transpiled };
}
