import type { Item } from '../content';
import type { DashboardConfig } from '../dashboards/dashboard-config';

/** A thing that the viewer can see, by what places and names it. */
export type StoredItem = Pick<
  Item,
  'id' | 'deploymentId' | 'type' | 'name' | 'parentId' | 'path' | 'position' | 'createdAt'
> & {
  rank: number;
  publicId: string | null;
  slug: string | null;
};

/** What things have beside their places. */
export interface StoredDetails {
  id: number;
  meta: Record<string, unknown> | null;
  draft: DashboardConfig | null;
  published: { title: string | null; description: string | null; config: DashboardConfig } | null;
  title: string | null;
  source: string | null;
  jsonQuery: string | null;
  sqlQuery: string | null;
  pivotItems: object | null;
}
