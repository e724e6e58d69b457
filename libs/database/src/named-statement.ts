/**
 * A statement that PostgreSQL plans once per connection. One name means one text; under the empty name it is planned
 * for its values each time.
 */
export interface NamedStatement {
  name: string;
  text: string;
}
