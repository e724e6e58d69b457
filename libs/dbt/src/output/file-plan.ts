import { type Conversion, type ConversionOptions, type GeneratedFile } from '../conversion';
import { HEADER } from './cube-file';

/** What a sync does to the files of a data model project. */
export interface FilePlan {
  /** New files, and ones whose content is another now. */
  write: GeneratedFile[];
  /** Paths of files whose models are gone. */
  delete: string[];
  /** Paths that are left as they are: equal ones, models that were not chosen, and files that are not of a sync. */
  keep: string[];
}

/**
 * Compares what was generated with what is there.
 *
 * @param existing files of the project, of which those below the output path count
 */
export function planFiles(
  { files, unselected }: Pick<Conversion, 'files' | 'unselected'>,
  existing: readonly GeneratedFile[],
  { outputPath }: Pick<ConversionOptions, 'outputPath'>,
): FilePlan {
  const folder = `${outputFolder(outputPath)}/`;
  const present = new Map(existing.map(({ path, content }) => [path, content]));
  const made = new Set(files.map(({ path }) => path));
  const kept = new Set(unselected);
  const others = existing.filter(({ path }) => path.startsWith(folder) && !made.has(path));
  const isGone = ({ path, content }: GeneratedFile): boolean => isGenerated(content) && !kept.has(path);
  return {
    write: files.filter(({ path, content }) => present.get(path) !== content),
    delete: others.filter(isGone).map(({ path }) => path),
    keep: [
      ...files.filter(({ path, content }) => present.get(path) === content),
      ...others.filter((file) => !isGone(file)),
    ].map(({ path }) => path),
  };
}

/**
 * The output path as files of the project have it: no slash at either end.
 *
 * @throws RangeError when it leads out of the project, or is the project itself
 */
export function outputFolder(outputPath: string): string {
  const parts = outputPath.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.length === 0 || parts.includes('..'))
    throw new RangeError('The output path must be a folder of the project');
  return parts.join('/');
}

function isGenerated(content: string): boolean {
  return content.startsWith(HEADER);
}
