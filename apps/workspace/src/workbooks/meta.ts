import type { Schemas } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { storedConfig, type DashboardConfig } from '../dashboards/dashboard-config';
import type { Meta } from './workbooks.repository';

/** `meta` of a request, without the draft, which is kept by itself. Undefined for what was not sent. */
export interface SentMeta {
  meta: Meta | undefined;
  draft: DashboardConfig | null | undefined;
}

/** As large as the largest request: many small ones are not to make more of it. */
const LIMIT_BYTES = 10 * 2 ** 20;

/** @throws AppError `request.invalid` (400) for a draft that could not be stored. */
export function sentMeta(sent: Schemas['WorkbookMetaInput'] | undefined): SentMeta {
  if (!sent) return { meta: sent === null ? {} : undefined, draft: undefined };
  const { dashboardDraft, ...meta } = sent;
  return { meta, draft: dashboardDraft && storedConfig(dashboardDraft, '/body/meta/dashboardDraft') };
}

/** @throws AppError `request.too_large` (413). */
export function mergedMeta(stored: Meta, sent: Meta): Meta {
  const merged = { ...stored, ...sent };
  if (Buffer.byteLength(JSON.stringify(merged)) <= LIMIT_BYTES) return merged;
  throw new AppError('request.too_large', 'The metadata of a workbook has at most 10 MiB');
}

export const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);
