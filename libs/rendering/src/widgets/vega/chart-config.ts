import { FONT, type Theme } from '../../drawing/theme';

/** What charts look like where they do not say it themselves. */
export function chartConfig(theme: Theme): object {
  const letters = { labelFont: FONT, titleFont: FONT, labelFontSize: 11, titleFontSize: 11, titleFontWeight: 'normal' };
  const colours = { labelColor: theme.dim, titleColor: theme.dim };
  const mark = theme.palette[0];
  return {
    background: null,
    font: FONT,
    view: { stroke: null },
    axis: {
      ...{ ...letters, ...colours, labelSeparation: 8, labelOverlap: true, labelLimit: 160, titlePadding: 8 },
      ...{ gridColor: theme.line, domainColor: theme.line, tickColor: theme.line },
    },
    legend: { ...letters, ...colours, symbolSize: 70, labelLimit: 140, titleLimit: 160 },
    header: { ...letters, ...colours },
    title: { font: FONT, subtitleFont: FONT, color: theme.ink, subtitleColor: theme.dim, fontSize: 12 },
    mark: { color: mark, font: FONT },
    text: { font: FONT, color: theme.ink, fill: theme.ink },
    rule: { color: theme.dim, stroke: theme.dim },
    line: { strokeWidth: 2 },
    arc: { stroke: theme.card, strokeWidth: 1 },
    range: { category: [...theme.palette], ramp: [...theme.ramp], heatmap: [...theme.ramp], ordinal: [...theme.ramp] },
    // Vega's own marks have no `mark`.
    style: { 'guide-label': { font: FONT, fill: theme.dim }, 'guide-title': { font: FONT, fill: theme.dim } },
  };
}
