/** Text for a pattern of LIKE, in which it is taken literally. */
export const literally = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** Pattern for LIKE that finds the text anywhere, taken literally; null for nothing to search for. */
export const containing = (text: string | undefined): string | null =>
  text === undefined ? null : `%${literally(text)}%`;
