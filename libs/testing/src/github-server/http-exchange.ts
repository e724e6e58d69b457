import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request as a route sees it. */
export interface Exchange {
  method: string;
  url: URL;
  /** What the pattern of the route caught. */
  groups: readonly string[];
  token: string;
  body: Record<string, unknown>;
}

/** A status with a JSON body. */
export interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

export const ok = (body: unknown, status = 200): Answer => ({ status, body });
export const problem = (status: number, message: string): Answer => ({
  status,
  body: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
});
export const notFound = problem(404, 'Not Found');
export const badCredentials = problem(401, 'Bad credentials');

/** A page of rows as GitHub cuts it, with the `Link` header that leads on. */
export function paged<Row>(rows: readonly Row[], url: URL, wrap: (page: Row[]) => unknown): Answer {
  const size = Math.min(Number(url.searchParams.get('per_page') ?? 30), 100);
  const page = Number(url.searchParams.get('page') ?? 1);
  const body = wrap(rows.slice((page - 1) * size, page * size));
  if (rows.length <= page * size) return ok(body);
  const next = new URL(url);
  next.searchParams.set('page', String(page + 1));
  return { status: 200, body, headers: { link: `<${next.href}>; rel="next"` } };
}

export async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  if (text === '') return {};
  return request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')
    ? Object.fromEntries(new URLSearchParams(text))
    : (JSON.parse(text) as Record<string, unknown>);
}

export function send(response: ServerResponse, { status, body, headers }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
}
