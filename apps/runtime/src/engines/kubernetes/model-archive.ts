import { gzipSync } from 'node:zlib';
import { EngineFailed, type EngineStart } from '../engine-driver';
import type { PackedModel } from './cube-configuration';

/** A ConfigMap holds 1 MiB at most, with the names in it. */
const PART_BYTES = 960 * 1024;
const MOST_PARTS = 16;
const MIB = 2 ** 20;

/**
 * A data model as it travels in ConfigMaps: compressed, in parts that fit into one each.
 *
 * @throws EngineFailed when it needs too many of them
 */
export function packModel({ model, configuration }: Pick<EngineStart, 'model' | 'configuration'>): Buffer[] {
  const packed: PackedModel = { files: model, configuration: configuration ?? null };
  const archive = gzipSync(JSON.stringify(packed));
  const count = Math.ceil(archive.length / PART_BYTES);
  if (count > MOST_PARTS) {
    const [size, most] = [archive.length, MOST_PARTS * PART_BYTES].map((bytes) => (bytes / MIB).toFixed(1));
    throw new EngineFailed(
      `The data model has ${size} MiB when compressed, and the cluster takes ${most} MiB (${MOST_PARTS} ConfigMaps)`,
    );
  }
  return Array.from({ length: count }, (_, index) => archive.subarray(index * PART_BYTES, (index + 1) * PART_BYTES));
}
