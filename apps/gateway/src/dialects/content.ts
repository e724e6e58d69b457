/** A body as it goes out, with the headers that describe it. */
export interface Content {
  headers: Readonly<Record<string, string>>;
  text: string;
}

/** @param type with its charset. */
export const jsonContent = (body: unknown, type = 'application/json; charset=utf-8'): Content => ({
  headers: { 'content-type': type },
  text: JSON.stringify(body),
});
