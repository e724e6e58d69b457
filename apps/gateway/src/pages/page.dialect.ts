import type { AppError } from '@plinth/errors';
import type { Dialect } from '../dialects/dialect';
import { html, type Html } from '@plinth/html';
import { pageHeaders, pageOf } from './page-layout';

/** For people at browsers. */
export const pageDialect: Dialect = {
  errorContent: (error, requestId) => ({
    headers: pageHeaders,
    text: pageOf(failureTitle(error.status), failureContent(error, requestId)),
  }),
};

/** Heading of a page that says what went wrong. */
export function failureTitle(status: number): string {
  if (status === 404) return 'This link does not work';
  if (status === 429) return 'Please wait a minute';
  return status >= 500 ? 'Something went wrong on our side' : 'That did not work';
}

const failureContent = (error: AppError, requestId: string): Html =>
  html`<p>${error.message}.</p>
    <p class="hint">Request ${requestId}</p>`;
