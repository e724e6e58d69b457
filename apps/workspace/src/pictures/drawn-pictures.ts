import { createHash } from 'node:crypto';
import type { Renderer, Scene } from '@plinth/rendering';
import { LRUCache } from 'lru-cache';
import type { PictureFormat } from './picture';

/** Of all pictures that are kept, in bytes. */
const MOST_BYTES = 64 << 20;
const KEPT_MS = 10 * 60_000;

type DrawOptions = Parameters<Renderer['draw']>[2] & { owner: string };

/**
 * Draws pictures, each once: the bytes follow from the scene alone, and mails that are due in one minute often show the same.
 * A tenant's pictures are nobody else's.
 */
export class DrawnPictures {
  private readonly pictures = new LRUCache<string, Buffer>({
    maxSize: MOST_BYTES,
    ttl: KEPT_MS,
    sizeCalculation: ({ length }) => length + 500,
  });

  constructor(private readonly renderer: Pick<Renderer, 'draw'>) {}

  /** @throws RenderingFailed, and the reason of the signal */
  async of(scene: Scene, format: PictureFormat, options: DrawOptions): Promise<Buffer> {
    const { owner, onProgress } = options;
    const key = `${owner}:${format}:${createHash('sha256').update(JSON.stringify(scene)).digest('base64')}`;
    const kept = this.pictures.get(key);
    if (kept) {
      onProgress?.(1, 1);
      return kept;
    }
    const bytes = await this.renderer.draw(scene, format, options);
    this.pictures.set(key, bytes);
    return bytes;
  }
}
