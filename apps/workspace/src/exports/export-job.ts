import type { Claim } from '@plinth/tasks';
import type { PictureControls, PictureFormat, Subject } from '../pictures';

export type ExportStatus = 'pending' | 'processing' | 'completed' | 'failed';

/** What is to be drawn. */
export interface ExportOrder {
  tenantId: number;
  deploymentId: number;
  dashboardId: number;
  submittedBy: number;
  subject: Subject;
  controls: PictureControls;
  format: PictureFormat;
}

/** An export that this process draws, as long as the claim holds. */
export type ClaimedExport = Claim &
  Pick<ExportOrder, 'deploymentId' | 'dashboardId' | 'subject' | 'controls' | 'format'> & {
    id: string;
    createdAt: Date;
  };

/** An export as who started it sees it. */
export interface ExportRow {
  id: string;
  format: PictureFormat;
  status: ExportStatus;
  progress: number;
  errorText: string | null;
  /** Parts of the file; 0 while there is none. */
  chunks: number;
}
