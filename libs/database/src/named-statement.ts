import { createHash } from 'node:crypto';

/**
 * A statement that PostgreSQL plans once per connection. One name means one text; under the empty name it is planned
 * for its values each time.
 */
export interface NamedStatement {
  name: string;
  text: string;
}

const names = new Map<string, string>();

/** The statement with a name that follows from its text. Texts are those that code is made of, so that there are few. */
export function namedByText(text: string): NamedStatement {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url');
    names.set(text, name);
  }
  return { name, text };
}
