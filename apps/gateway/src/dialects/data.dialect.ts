import { jsonContent } from './content';
import type { Dialect } from './dialect';

/** For clients of data APIs, who know errors as the engine writes them: one text. */
export const dataDialect: Dialect = {
  errorContent: ({ message, code }, requestId) => jsonContent({ error: message, code, requestId }),
};
