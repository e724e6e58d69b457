import { AppError } from '@plinth/errors';
import { InvalidPathError, normalisePath, PathExistsError, PathNotFoundError, PathObstructedError } from '@plinth/git';

/** The spelling under which a file is stored. @throws AppError `file.invalid_path` (400) */
export function storedPath(path: string): string {
  try {
    return normalisePath(path);
  } catch (error) {
    throw toFileError(error);
  }
}

/** What libs/git says about a path, as the error that the client sees. */
export function toFileError(thrown: unknown): unknown {
  if (thrown instanceof InvalidPathError) return new AppError('file.invalid_path', thrown.message);
  if (thrown instanceof PathNotFoundError) return new AppError('file.not_found', thrown.message);
  if (thrown instanceof PathExistsError || thrown instanceof PathObstructedError) {
    return new AppError('file.exists', thrown.message);
  }
  return thrown;
}
