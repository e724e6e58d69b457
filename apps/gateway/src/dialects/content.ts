/** A body as it goes out, with the headers that describe it. */
export interface Content {
  headers: Readonly<Record<string, string>>;
  text: string;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** @param type with its charset. */
export const jsonContent = (body: unknown, type = JSON_TYPE): Content => ({
  headers: { 'content-type': type },
  text: JSON.stringify(body),
});

/** What is JSON already. */
export const madeContent = (text: string): Content => ({ headers: { 'content-type': JSON_TYPE }, text });
