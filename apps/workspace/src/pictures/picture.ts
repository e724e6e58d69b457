import type { Schemas } from '@plinth/contract';
import type { PictureFormat } from '@plinth/rendering';

export type { PictureFormat };

/** What is chosen for a picture; what is absent or null is as the dashboard has it saved. */
export type PictureControls = Partial<
  Pick<Schemas['StartDashboardExportInput'], 'filters' | 'timeGrains' | 'memberSwitchers'>
>;

export interface PictureWishes {
  controls: PictureControls;
  /** BCP 47, for numbers and dates. */
  locale: string;
  /** IANA name; the one of the reader's tenant, or else UTC, when null. */
  timeZone: string | null;
  /** The time that the picture shows; the same one gives the same bytes for the same data. */
  at: Date;
}

export interface PictureOptions {
  signal?: AbortSignal;
  /** Hears of how much is done, in whole percent, never less than before. */
  onProgress?: (percent: number) => void;
}

export interface Picture {
  bytes: Buffer;
  contentType: string;
  /** Title of the dashboard. */
  title: string;
}

/** Types of the files, and how their names end. */
export const pictureFormats = {
  png: { contentType: 'image/png', extension: 'png' },
  pdf: { contentType: 'application/pdf', extension: 'pdf' },
} as const satisfies Record<PictureFormat, object>;
