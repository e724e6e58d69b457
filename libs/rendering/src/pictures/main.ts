import { Fonts } from '../drawing/fonts';
import { serveJobs } from '../process/child-loop';
import type { Fragments, PageJob, PictureJob, Supply } from '../protocol';
import { drawPage } from './page';
import { drawPdf } from './pdf';
import { drawPng } from './png';
import { Sheet } from './sheet';

void serveJobs<PictureJob | PageJob>(({ fonts: paths }) => {
  const fonts = new Fonts(paths);
  return async (job, supplies) => {
    const fragments = fragmentsOf(supplies);
    if (job.kind === 'page') return drawPage(job, fragments);
    const sheet = new Sheet(fonts, job.look, job.plan, fragments);
    const bytes = job.format === 'png' ? drawPng(sheet, job.head, fonts) : await drawPdf(sheet, job.head, fonts);
    return bytes.toString('base64');
  };
});

function fragmentsOf(supplies: readonly Supply[]): Fragments {
  return Object.fromEntries(supplies.flatMap((each) => (each.kind === 'fragment' ? [[each.id, each.fragment]] : [])));
}
