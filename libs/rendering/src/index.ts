export { type Theme, themeOf } from './drawing/theme';
export type { HtmlColours, HtmlPart, HtmlParts } from './html-parts';
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
  ControlField,
  ControlOption,
  ControlWidget,
  DividerWidget,
  Place,
  PlaceholderWidget,
  Scene,
  SceneColours,
  SceneGrid,
  SceneWidget,
  SpacerWidget,
  TextWidget,
  ThemeName,
} from './scene';
