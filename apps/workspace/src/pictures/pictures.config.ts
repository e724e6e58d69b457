import { type ConfigOf, integer, sandboxSettings, setting } from '@plinth/config';
import { z } from 'zod';

export const pictureSettings = {
  ...sandboxSettings,
  pictureConcurrency: setting(
    'PLINTH_PICTURE_CONCURRENCY',
    integer(1, 16).default(2),
    'Pictures of dashboards that a process draws at the same time. Each takes up to two processes and 0.8 GB.',
  ),
  pageConcurrency: setting(
    'PLINTH_EMBED_PAGE_CONCURRENCY',
    integer(1, 16).default(2),
    'Pages of embedded dashboards that a process draws at the same time, besides pictures; those drawn before are kept. Each takes up to two processes and 0.8 GB.',
  ),
  pictureFontFolders: setting(
    'PLINTH_PICTURE_FONT_FOLDERS',
    z
      .string()
      .default('')
      .transform((folders) => folders.split(',').filter((folder) => folder !== ''))
      .refine((folders) => folders.every((folder) => folder.startsWith('/')), 'takes absolute paths'),
    'Folders of further fonts (TTF, OTF; comma-separated) for letters that Noto Sans lacks.',
  ),
};

export type PictureConfig = ConfigOf<typeof pictureSettings>;
