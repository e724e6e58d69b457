import type { AppError } from '@plinth/errors';
import { html } from '@plinth/html';
import type { Dialect } from '../dialects/dialect';
import { shell } from './page-shell';
import { textsFor, type Texts } from './texts';

/** What is known of a request for a frame when it fails. */
export interface FailureSurroundings {
  locale: string;
  origins: readonly string[];
  frame: string | undefined;
}

/** Failures as pages that a frame shows. Nothing of what is not to be seen is in them. */
export const embedDialect = (surroundings: () => FailureSurroundings): Dialect => ({
  errorContent: (error, requestId) => {
    const { locale, origins, frame } = surroundings();
    const { language, texts } = textsFor(locale);
    const [title, hint] = wordsOf(error, texts);
    const content = html`<main role="alert">
      <h1>${title}</h1>
      <p>${hint}</p>
      <p class="plinth-by">${texts.request} ${requestId}</p>
    </main>`;
    return shell({ title, language, texts, content, frame }, origins);
  },
});

function wordsOf({ status, message }: AppError, texts: Texts): [string, string] {
  if (status === 401) return [texts.ended, texts.endedHint];
  if (status === 404) return [texts.missing, texts.missingHint];
  if (status === 429) return [texts.wait, message];
  return [status >= 500 ? texts.failed : texts.refused, message];
}
