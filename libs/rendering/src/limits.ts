/** What drawing a scene may cost. */
export interface RenderLimits {
  /** Scenes that are drawn at the same time; further ones wait. Each has up to two processes. */
  simultaneous: number;
  /** Time of one widget, in milliseconds. */
  widgetMs: number;
  /** Time of all widgets of a scene, in milliseconds; those that are left then get an error. */
  sceneMs: number;
  /** Time to put a picture together, in milliseconds. */
  pictureMs: number;
  /** Old-space heap of the process that draws widgets, in MiB. */
  widgetHeapMb: number;
  /** Old-space heap of the process that puts pictures together, in MiB. */
  pictureHeapMb: number;
  /** Time that a process may wait for the next scene of its owner, in milliseconds. */
  idleMs: number;
  /** Size of one drawn widget, in bytes. */
  widgetBytes: number;
  /** Size of all drawn widgets of a scene, in bytes. */
  sceneBytes: number;
  /** Size of a picture, in bytes. */
  pictureBytes: number;
}

export const defaultLimits: RenderLimits = {
  simultaneous: 2,
  widgetMs: 10_000,
  sceneMs: 120_000,
  pictureMs: 60_000,
  widgetHeapMb: 256,
  pictureHeapMb: 512,
  idleMs: 30_000,
  widgetBytes: 4 * 2 ** 20,
  sceneBytes: 16 * 2 ** 20,
  pictureBytes: 32 * 2 ** 20,
};
