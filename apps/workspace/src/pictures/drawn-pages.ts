import { createHash } from 'node:crypto';
import type { Chart, HtmlParts, Renderer, Scene } from '@plinth/rendering';
import { LRUCache } from 'lru-cache';

export type DrawnPage = Pick<HtmlParts, 'grid' | 'css' | 'colours'>;

/** Of all pages that are kept, in bytes. */
const MOST_BYTES = 64 << 20;
const KEPT_MS = 30 * 60_000;
/** What charts see of the clock on a page: it stands still that long, so that the same data is not drawn again. */
const CLOCK_MS = 10 * 60_000;

/**
 * Draws pages, each once: what is drawn follows from the scene alone, so that a page that is kept is never an old one. A
 * tenant's pages are nobody else's.
 */
export class DrawnPages {
  private readonly pages = new LRUCache<string, DrawnPage, { scene: Scene; owner: string }>({
    maxSize: MOST_BYTES,
    ttl: KEPT_MS,
    sizeCalculation: ({ grid, css }) => 2 * (grid.length + css.length) + 500,
    fetchMethod: async (_key, _old, { context: { scene, owner } }) => {
      const { grid, css, colours } = await this.renderer.html(scene, { owner });
      return { grid, css, colours };
    },
  });

  constructor(private readonly renderer: Renderer) {}

  /** @throws RenderingFailed */
  async of(scene: Scene, owner: string): Promise<DrawnPage> {
    const still = { ...scene, at: new Date(Math.floor(scene.at.getTime() / CLOCK_MS) * CLOCK_MS) };
    const key = `${owner}:${createHash('sha256').update(JSON.stringify(still)).digest('base64')}`;
    const page = await this.pages.fetch(key, { context: { scene: still, owner } });
    if (!page) throw new Error('a page was not drawn');
    return page;
  }

  /** Why a chart that nobody keeps cannot be drawn, or null. @throws RenderingFailed when nothing can be drawn */
  problemOf(chart: Chart, owner: string, signal?: AbortSignal): Promise<string | null> {
    return this.renderer.problemOf(chart, { owner, ...(signal && { signal }) });
  }

  close(): Promise<void> {
    return this.renderer.close();
  }
}
