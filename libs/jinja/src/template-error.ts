/** What is wrong in a template, and where. The message has no place in it. */
export class TemplateError extends Error {
  constructor(
    message: string,
    readonly fileName: string,
    /** Counted from one; absent where nunjucks names no place. */
    readonly line: number | undefined,
  ) {
    super(message);
    this.name = 'TemplateError';
  }
}

/**
 * Nunjucks nests places into the message, `(file) [Line 3, Column 5]`, then says what happened. The outermost place is
 * the true one: a line inside a macro comes with the name of the template that called it. Lines are counted from one in
 * errors of syntax, and from zero in those of rendering, which are marked with `Error:`.
 */
export function templateError(error: unknown, template: string): TemplateError {
  const text = error instanceof Error ? error.message : String(error);
  const [, fileName = template, line] = [...text.matchAll(/\(([^()\n]+)\) \[Line (\d+), Column \d+\]/g)].at(0) ?? [];
  const last = text.split('\n').at(-1)?.trim() ?? text;
  const message = last.replace(/^Error: /, '');
  const rendering = message !== last;
  return new TemplateError(message, fileName, line === undefined ? undefined : Number(line) + (rendering ? 1 : 0));
}
