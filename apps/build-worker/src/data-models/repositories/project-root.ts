import { invalidRequest } from '@plinth/errors';
import { InvalidPathError, normaliseFolder } from '@plinth/git';

/** The project folder that a request names; empty for the root. @throws AppError `request.invalid` (400) */
export function requestedRoot(path: string): string {
  try {
    return normaliseFolder(path);
  } catch (error) {
    throw error instanceof InvalidPathError ? invalidRequest('/body/deployProjectRoot', error.message) : error;
  }
}
