/** Pattern for LIKE that finds the text anywhere, taken literally; null for nothing to search for. */
export const containing = (text: string | undefined): string | null =>
  text === undefined ? null : `%${text.replace(/[\\%_]/g, '\\$&')}%`;
