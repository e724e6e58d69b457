import { validateRequest, type OperationId } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { storedConfig, type DashboardConfig, type DashboardConfigInput } from '../dashboards/dashboard-config';
import type { DeclaredFolder, DeclaredReport, DeclaredWorkbook } from './declared';
import { isMapping, type Content } from './documents';
import type { ImportProblems } from './problems';

type Own<Kind> = Omit<Kind, 'file' | 'content' | 'parent' | 'directory' | 'draft' | 'published'>;

const PUBLIC_ID = /^[0-9A-Za-z]{12}$/;
const MAX_NAME = 255;

/** Holds the values of one file against the rules that requests are under; notes whatever breaks them. */
class Check {
  private failed = false;

  constructor(
    private readonly content: Content,
    private readonly problems: ImportProblems,
  ) {}

  get passed(): boolean {
    return !this.failed;
  }

  fail(path: readonly (string | number)[], message: string): void {
    this.failed = true;
    const name = path.length === 0 ? '' : `${path.join('/')} `;
    this.problems.add('invalid', this.content.file, `${name}${message}`, this.content.lineOf(path));
  }

  known(names: readonly string[]): void {
    for (const name of Object.keys(this.content.value))
      if (!names.includes(name)) this.fail([name], 'is not known here');
  }

  name(): string {
    const { name } = this.content.value;
    const trimmed = typeof name === 'string' ? name.trim() : '';
    if (trimmed === '' || trimmed.length > MAX_NAME)
      this.fail(['name'], `must be a text of 1 to ${MAX_NAME} characters`);
    return trimmed;
  }

  /** As the body of an operation; `prefix` is where the values of the file stand in it. */
  body(operationId: OperationId, body: unknown, prefix: string): void {
    const path = { deploymentId: '1', workbookId: '1', slug: 'x' };
    const verdict = validateRequest(operationId, { path, query: {}, body });
    for (const problem of verdict.ok ? [] : verdict.problems) this.fail(within(problem.path, prefix), problem.message);
  }

  /** With ids for widgets that have none. */
  config(config: unknown, prefix: readonly string[]): DashboardConfig {
    this.body('updateWorkbookDashboard', { dashboardDraft: config }, '/body/dashboardDraft');
    if (!this.passed) return {};
    try {
      return storedConfig(config as DashboardConfigInput, '');
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      for (const { path, message } of error.details ?? []) this.fail([...prefix, ...within(path, '')], message);
      return {};
    }
  }
}

/** Parts of a JSON pointer. */
const within = (pointer: string, prefix: string): (string | number)[] =>
  (pointer.startsWith(prefix) ? pointer.slice(prefix.length) : pointer)
    .split('/')
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~')));

export function checkedFolder(content: Content, problems: ImportProblems): Own<DeclaredFolder> | undefined {
  const check = new Check(content, problems);
  check.known(['name', 'position']);
  const { position = null } = content.value;
  if (position !== null && !Number.isSafeInteger(position)) check.fail(['position'], 'must be a whole number');
  const name = check.name();
  return check.passed ? { name, position: position as number | null } : undefined;
}

export function checkedWorkbook(content: Content, problems: ImportProblems): Own<DeclaredWorkbook> | undefined {
  const check = new Check(content, problems);
  check.known(['name', 'slug', 'meta']);
  const { slug, meta = {} } = content.value;
  if (typeof slug !== 'string' || slug.trim() === '' || slug.length > MAX_NAME)
    check.fail(['slug'], `must be a text of 1 to ${MAX_NAME} characters`);
  if (!isMapping(meta) || 'dashboardDraft' in meta) check.fail(['meta'], 'must be a mapping without dashboardDraft');
  const name = check.name();
  if (!check.passed) return undefined;
  return { name, slug: (slug as string).trim().toLowerCase(), meta: meta as Record<string, unknown> };
}

export function checkedDraft(content: Content | undefined, problems: ImportProblems): DeclaredWorkbook['draft'] {
  if (!content) return null;
  const check = new Check(content, problems);
  const config = check.config(content.value, []);
  return check.passed ? { content, config } : null;
}

export function checkedPublished(
  content: Content | undefined,
  problems: ImportProblems,
): DeclaredWorkbook['published'] {
  if (!content) return null;
  const check = new Check(content, problems);
  check.known(['title', 'description', 'config']);
  const { title = null, description = null, config: written } = content.value;
  for (const [name, value] of [['title', title] as const, ['description', description] as const])
    if (value !== null && typeof value !== 'string') check.fail([name], 'must be a text');
  if (!isMapping(written)) check.fail(['config'], 'must be a mapping');
  const config = check.passed ? check.config(written, ['config']) : {};
  if (!check.passed) return null;
  return { content, config, title: title as string | null, description: description as string | null };
}

const emptyReport = { title: null, source: null, jsonQuery: null, sqlQuery: null, meta: null, pivotItems: null };

export function checkedReport(content: Content, problems: ImportProblems): Own<DeclaredReport> | undefined {
  const check = new Check(content, problems);
  check.known(['name', 'publicId', ...Object.keys(emptyReport)]);
  const { publicId, jsonQuery, ...given }: Record<string, unknown> = { ...emptyReport, ...content.value };
  if (typeof publicId !== 'string' || !PUBLIC_ID.test(publicId))
    check.fail(['publicId'], 'must be 12 characters of 0-9, A-Z and a-z');
  const isStructure = typeof jsonQuery === 'object' && jsonQuery !== null;
  const name = check.name();
  const report = { ...given, name, publicId, jsonQuery: isStructure ? JSON.stringify(jsonQuery) : jsonQuery };
  if (check.passed) check.body('createReport', report, '/body');
  return check.passed ? (report as Own<DeclaredReport>) : undefined;
}
