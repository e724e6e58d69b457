import { resolve } from 'node:path';
import type { Sandbox } from '@plinth/sandbox';
import { unlessAborted } from '@plinth/streams';
import pLimit from 'p-limit';
import { SceneDrawing } from './scene-drawing';
import type { HtmlParts } from './html-parts';
import { defaultLimits, type RenderLimits } from './limits';
import { DrawingProcess, ProcessEnded } from './process/drawing-process';
import { ProcessPool } from './process/process-pool';
import { drawingProgram, fontFiles, type ProgramName } from './process/program';
import type { Chart, Scene } from './scene';

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
  /** Called after each widget that has something to be drawn, and once at the end with `done` equal to `total`. */
  onProgress?: (done: number, total: number) => void;
}

/** The scene as a whole could not be drawn. The message is a sentence for its reader. */
export class RenderingFailed extends Error {
  override readonly name = 'RenderingFailed';
}

interface Processes {
  widgets: ProcessPool;
  pictures: ProcessPool;
}

/**
 * Draws scenes, in processes of their own: the event loop is never blocked, and what a hostile chart does to its process
 * ends with an error in the chart's place.
 */
export class Renderer {
  private readonly limits: RenderLimits;
  private readonly processes: Processes;
  private readonly turns: ReturnType<typeof pLimit>;
  private readonly closing = new AbortController();

  constructor(private readonly options: RendererOptions) {
    this.limits = { ...defaultLimits, ...options.limits };
    this.processes = {
      widgets: this.pool('widgets', this.limits.widgetHeapMb),
      pictures: this.pool('pictures', this.limits.pictureHeapMb),
    };
    this.turns = pLimit(this.limits.simultaneous);
  }

  /**
   * A PNG of twice the pixels, or a PDF in A4 across. The same scene gives the same bytes.
   *
   * @throws RenderingFailed when there is no picture
   * @throws the reason of `signal`
   */
  async draw(scene: Scene, format: PictureFormat, options: DrawOptions): Promise<Buffer> {
    return this.inTurn(options, async (drawing) => {
      const encoded = await drawing.picture(scene, format);
      return Buffer.from(encoded, 'base64');
    });
  }

  /**
   * @throws RenderingFailed when there are no parts
   * @throws the reason of `signal`
   */
  async html(scene: Scene, options: DrawOptions): Promise<HtmlParts> {
    return this.inTurn(options, (drawing) => drawing.page(scene));
  }

  /**
   * Draws a chart in a room of an ordinary size and throws the drawing away. Answers why it cannot be drawn, as a sentence,
   * or null.
   *
   * @throws the reason of `signal`
   */
  async problemOf(chart: Chart, options: DrawOptions): Promise<string | null> {
    return this.inTurn(options, (drawing) => drawing.problemOf(chart));
  }

  /** Ends all processes; drawings under way and those that wait fail. */
  async close(): Promise<void> {
    this.closing.abort(new RenderingFailed('Pictures are not drawn any more: the service stops'));
    await Promise.all([this.processes.widgets.close(), this.processes.pictures.close()]);
  }

  private async inTurn<T>(options: DrawOptions, draw: (drawing: SceneDrawing) => Promise<T>): Promise<T> {
    const signals = [this.closing.signal, ...(options.signal ? [options.signal] : [])];
    const signal = AbortSignal.any(signals);
    const drawn = this.turns(async () => {
      signal.throwIfAborted();
      const drawing = new SceneDrawing(this.processes, this.limits, { ...options, signal });
      try {
        return await draw(drawing);
      } catch (error) {
        signal.throwIfAborted();
        throw error instanceof ProcessEnded
          ? new RenderingFailed(`The picture could not be drawn: ${error.message}`, { cause: error })
          : error;
      }
    });
    // Whoever waits for its turn goes at once, too.
    return unlessAborted(drawn, signal);
  }

  private pool(name: ProgramName, heapMb: number): ProcessPool {
    const { sandbox, fontFolders = [] } = this.options;
    const start = { fonts: fontFiles(fontFolders) };
    const begin = (owner: string): DrawingProcess =>
      new DrawingProcess(sandbox, drawingProgram(name, heapMb, fontFolders), start, owner);
    return new ProcessPool(begin, { idleMs: this.limits.idleMs, mostIdle: this.limits.simultaneous });
  }
}

/** Files and folders that the processes read, for `Sandbox.open`. */
export function renderingNeeds(fontFolders: readonly string[] = []): string[] {
  const { readable, native } = drawingProgram(
    'pictures',
    0,
    fontFolders.map((folder) => resolve(folder)),
  );
  return [...readable, ...(native === undefined ? [] : [native])];
}
