import { AppError } from '@plinth/errors';
import type { ByteStream } from '@plinth/messaging';
import type { EngineStart } from '../engines';

/** Bytes of a model that an engine is given. */
const MOST_BYTES = 128 * 2 ** 20;

type Model = Pick<EngineStart, 'modelRoot' | 'configuration'> & {
  model: EngineStart['model'][number][];
  transpiled: EngineStart['transpiled'][number][];
};
type Line =
  | { root: string; configuration: string | null }
  | EngineStart['model'][number]
  | { transpiled: EngineStart['transpiled'][number] };

/** The model in a stream of `readServedModel`. @throws AppError `request.too_large` (413) */
export async function readModel(stream: ByteStream): Promise<Model> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new AppError('request.too_large', 'The data model is too large to be served');
    parts.push(chunk);
  }
  const model: Model = { modelRoot: '', model: [], transpiled: [] };
  for (const line of Buffer.concat(parts).toString('utf8').split('\n').filter(Boolean)) {
    const entry = JSON.parse(line) as Line;
    if ('path' in entry) model.model.push(entry);
    else if ('transpiled' in entry) model.transpiled.push(entry.transpiled);
    else Object.assign(model, { modelRoot: entry.root, configuration: entry.configuration ?? undefined });
  }
  return model;
}
