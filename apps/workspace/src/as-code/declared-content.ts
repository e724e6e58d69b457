import type { ArchiveFiles } from './archive-reader';
import { byDirectory, directoryOf, fileNameOf, fileNames, joined, MANIFEST } from './content-files';
import type { DeclaredContent } from './declared';
import { checkedDraft, checkedFolder, checkedPublished, checkedReport, checkedWorkbook } from './declared-checks';
import { DocumentReader, type Content } from './documents';
import type { ImportProblems } from './problems';

type Contents = ReadonlyMap<string, Content>;
type Kind = 'manifest' | 'container' | 'dashboard' | 'report';

/** Parsing takes the whole thread; others get their turns between files. */
const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Understands the files of an archive; all that is wrong with them is noted. */
export async function declaredIn(files: ArchiveFiles, problems: ImportProblems): Promise<DeclaredContent> {
  const reader = new DocumentReader(problems);
  const contents = new Map<string, Content>();
  for (const [path, text] of files) {
    await pause();
    const misplaced = misplacedBecause(path, files);
    if (misplaced) problems.add('invalid', path, misplaced);
    const content = kindOf(path) && reader.read(path, text);
    if (content) contents.set(path, content);
  }
  requireManifest(contents, files, problems);
  const declared: DeclaredContent = { folders: new Map(), workbooks: new Map(), reports: [] };
  for (const path of [...contents.keys()].sort(outerFirst)) declare(path, contents, declared, problems);
  return declared;
}

function declare(path: string, contents: Contents, declared: DeclaredContent, problems: ImportProblems): void {
  const content = contents.get(path);
  if (!content) return;
  const [directory, name] = [directoryOf(path), fileNameOf(path)];
  const common = { file: path, content, parent: directoryOf(directory) };
  if (name === fileNames.folder) {
    const folder = checkedFolder(content, problems);
    if (folder) declared.folders.set(directory, { ...common, ...folder, directory });
  } else if (name === fileNames.workbook) {
    const workbook = checkedWorkbook(content, problems);
    const draft = checkedDraft(contents.get(joined(directory, fileNames.draft)), problems);
    const published = checkedPublished(contents.get(joined(directory, fileNames.published)), problems);
    if (workbook) declared.workbooks.set(directory, { ...common, ...workbook, directory, draft, published });
  } else if (kindOf(path) === 'report') {
    const report = checkedReport(content, problems);
    if (report) declared.reports.push({ ...common, ...report, parent: directory });
  }
}

/** Undefined for a file that means nothing. */
function kindOf(path: string): Kind | undefined {
  const name = fileNameOf(path);
  if (path === MANIFEST.path) return 'manifest';
  if (name === fileNames.folder || name === fileNames.workbook) return 'container';
  if (name === fileNames.draft || name === fileNames.published) return 'dashboard';
  return name.endsWith(fileNames.report) ? 'report' : undefined;
}

/** Each file stands where it means something; undefined when it does. */
function misplacedBecause(path: string, files: ArchiveFiles): string | undefined {
  const kind = kindOf(path);
  const directory = directoryOf(path);
  const isFolder = directory === '' || files.has(joined(directory, fileNames.folder));
  const isWorkbook = directory !== '' && files.has(joined(directory, fileNames.workbook));
  if (kind === undefined) return 'is no file of an archive of content';
  if (kind === 'container') return isFolder && isWorkbook ? 'stands beside another kind' : homelessBecause(path, files);
  if (kind === 'dashboard' && !isWorkbook) return `stands in a directory without ${fileNames.workbook}`;
  if (kind === 'report' && !isFolder && !isWorkbook)
    return `stands in a directory with neither ${fileNames.folder} nor ${fileNames.workbook}`;
  return undefined;
}

/** Folders and workbooks lie in folders. */
function homelessBecause(path: string, files: ArchiveFiles): string | undefined {
  const directory = directoryOf(path);
  if (directory === '') return 'stands at the root, which is a folder already';
  const around = directoryOf(directory);
  const isFolder = around === '' || files.has(joined(around, fileNames.folder));
  return isFolder ? undefined : `lies in ${around}, which has no ${fileNames.folder}`;
}

function requireManifest(contents: Contents, files: ArchiveFiles, problems: ImportProblems): void {
  const { path, version } = MANIFEST;
  const content = contents.get(path);
  if (!files.has(path)) problems.add('invalid', path, 'is missing');
  else if (content && content.value['version'] !== version)
    problems.add('invalid', path, `has to say version: ${version}`, content.lineOf(['version']));
}

const depthOf = (path: string): number => path.split('/').length;
const outerFirst = (left: string, right: string): number => depthOf(left) - depthOf(right) || byDirectory(left, right);
