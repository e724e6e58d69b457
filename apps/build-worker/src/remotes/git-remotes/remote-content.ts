import { AppError } from '@plinth/errors';
import { InvalidPathError, normalisePath, type BareRepository, type ObjectId, type TreeFile } from '@plinth/git';

const MAX_FILES = 100_000;
/** Files are read into memory one by one. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const SIZES_AT_ONCE = 500;
const REPLACEMENT = '\ufffd';

const refused = (reason: string): AppError => new AppError('remote.content_refused', reason);

/**
 * Git has checked the objects; this checks that the platform can work with the files. Outside of the project folder,
 * names only have to be readable.
 *
 * @throws AppError `remote.content_refused`
 */
export async function requireUsableFiles(git: BareRepository, commit: ObjectId, projectRoot: string): Promise<void> {
  const files = await git.readTree(commit);
  if (files.length > MAX_FILES) throw refused(`The branch has more than ${MAX_FILES} files`);
  for (const { path } of files) {
    if (path.includes(REPLACEMENT)) throw refused(`A file name is not valid UTF-8: ${path}`);
    if (isBelow(path, projectRoot)) requirePath(path);
  }
  await requireSizes(git, files);
}

/**
 * @throws AppError `remote.no_data_model`
 */
export async function requireDataModel(git: BareRepository, commit: ObjectId, projectRoot: string): Promise<void> {
  for (const folder of ['model', 'schema']) {
    const path = projectRoot === '' ? folder : `${projectRoot}/${folder}`;
    if ((await git.readTree(commit, { prefix: path })).length > 0) return;
  }
  const where = projectRoot === '' ? 'at root location' : 'at this location';
  throw new AppError('remote.no_data_model', `Data Model folder not found ${where}.`);
}

const isBelow = (path: string, folder: string): boolean => folder === '' || path.startsWith(`${folder}/`);

function requirePath(path: string): void {
  try {
    if (normalisePath(path) !== path) throw refused(`The file name ${path} is not in Unicode's composed form (NFC)`);
  } catch (error) {
    throw error instanceof InvalidPathError ? refused(error.message) : error;
  }
}

async function requireSizes(git: BareRepository, files: readonly TreeFile[]): Promise<void> {
  for (let start = 0; start < files.length; start += SIZES_AT_ONCE) {
    const part = files.slice(start, start + SIZES_AT_ONCE);
    const sizes = await Promise.all(part.map(({ oid }) => git.blobSize(oid)));
    const large = part[sizes.findIndex((size) => size > MAX_FILE_BYTES)];
    if (large) throw refused(`The file ${large.path} is larger than ${MAX_FILE_BYTES} bytes`);
  }
}
