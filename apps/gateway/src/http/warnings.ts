import type { Misspelt } from '@plinth/contract';

/**
 * The `warnings` header: a list of strings with parameters (RFC 9651), for people and programs. What clients may rely on is in
 * ADR 0040.
 */
export const warnings = (misspelt: readonly Misspelt[]): string =>
  misspelt.map(({ path, meant }) => `${quoted(path)};code=unknown_property;meant=${quoted(meant)}`).join(', ');

/** Such strings hold visible ASCII and blanks alone; any other character becomes a question mark. */
const quoted = (text: string): string => `"${text.replace(/[^ -~]/g, '?').replace(/["\\]/g, '\\$&')}"`;
