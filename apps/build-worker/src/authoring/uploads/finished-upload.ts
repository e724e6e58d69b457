import { OwnedEffect } from '../../data-models';

export interface FinishedUpload {
  id: string;
  deploymentId: number;
  commit: string;
}

export const finishedUpload = new OwnedEffect<FinishedUpload>('finishedUpload');
