export type { HtmlPart, HtmlParts } from './html-parts';
export type { RenderLimits } from './limits';
export {
  type DrawOptions,
  type PictureFormat,
  Renderer,
  type RendererOptions,
  RenderingFailed,
  renderingNeeds,
} from './renderer';
export type {
  Caption,
  Chart,
  ChartColumn,
  ChartKind,
  ChartPreferences,
  ChartWidget,
  ColumnFormat,
  ContainerTab,
  ContainerWidget,
  ControlWidget,
  DividerWidget,
  Place,
  PlaceholderWidget,
  Scene,
  SceneGrid,
  SceneWidget,
  SpacerWidget,
  TextWidget,
  ThemeName,
} from './scene';
