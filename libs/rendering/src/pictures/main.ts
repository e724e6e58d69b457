import { createRequire } from 'node:module';
import { Fonts } from '../drawing/fonts';
import { serveJobs } from '../process/child-loop';
import type { Fragments, PageJob, PictureJob, Supply } from '../protocol';
import type * as Page from './page';
import type * as Pdf from './pdf';
import type * as Png from './png';
import type * as Sheets from './sheet';

/** What only some jobs need is loaded for the first of them. */
const load = createRequire(__filename);

void serveJobs<PictureJob | PageJob>(({ fonts: paths }) => {
  const fonts = new Fonts(paths);
  return async (job, supplies) => {
    const fragments = fragmentsOf(supplies);
    if (job.kind === 'page') return (load('./page') as typeof Page).drawPage(job, fragments);
    const { Sheet } = load('./sheet') as typeof Sheets;
    const sheet = new Sheet(fonts, job.look, job.plan, fragments);
    const bytes =
      job.format === 'png'
        ? (load('./png') as typeof Png).drawPng(sheet, job.head, fonts)
        : await (load('./pdf') as typeof Pdf).drawPdf(sheet, job.head, fonts);
    return bytes.toString('base64');
  };
});

function fragmentsOf(supplies: readonly Supply[]): Fragments {
  return Object.fromEntries(supplies.flatMap((each) => (each.kind === 'fragment' ? [[each.id, each.fragment]] : [])));
}
