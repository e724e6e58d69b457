const LITERALS = /\bE'(?:[^'\\]|''|\\.)*(?:'|$)|'(?:[^']|'')*(?:'|$)|\$(\w*)\$.*?(?:\$\1\$|$)/gis;

/** A statement without its texts, for logs: each is `'redacted'`. A text that does not end reaches to the end. */
export const redactSqlLiterals = (sql: string): string => sql.replace(LITERALS, "'redacted'");
