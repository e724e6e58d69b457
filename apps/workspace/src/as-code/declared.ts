import type { DashboardConfig } from '../dashboards/dashboard-config';
import type { Content } from './documents';

/** What the files of one thing say. */
export interface Declared {
  file: string;
  content: Content;
  /** Directory of what it lies in; empty for the root. */
  parent: string;
}

export interface DeclaredFolder extends Declared {
  directory: string;
  name: string;
  position: number | null;
}

export interface DeclaredWorkbook extends Declared {
  directory: string;
  name: string;
  slug: string;
  meta: Record<string, unknown>;
  draft: { content: Content; config: DashboardConfig } | null;
  published: { content: Content; title: string | null; description: string | null; config: DashboardConfig } | null;
}

export interface DeclaredReport extends Declared {
  name: string;
  publicId: string;
  title: string | null;
  source: string | null;
  jsonQuery: string | null;
  sqlQuery: string | null;
  meta: Record<string, unknown> | null;
  pivotItems: object | null;
}

/** What an archive says, folders and workbooks by their directories, outer ones first. */
export interface DeclaredContent {
  folders: Map<string, DeclaredFolder>;
  workbooks: Map<string, DeclaredWorkbook>;
  reports: DeclaredReport[];
}
