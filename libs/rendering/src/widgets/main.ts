// Before Vega.
import './vega/fixed-world';
import { Fonts } from '../drawing/fonts';
import { serveJobs } from '../process/child-loop';
import type { WidgetJob } from '../protocol';
import type { Chart } from '../scene';
import { drawWidget } from './draw-widget';

void serveJobs<WidgetJob>(({ fonts: paths }) => {
  const fonts = new Fonts(paths);
  return (job, supplies) => {
    const rows = supplies.flatMap((each) => (each.kind === 'rows' ? each.rows : []));
    return drawWidget(job, rows as Chart['rows'], fonts);
  };
});
