/** Longest wait for one answer, in milliseconds. */
const ANSWER_MS = 30_000;

/** The platform's own API, as an administrator calls it. */
export class PlatformApi {
  constructor(
    readonly url: string,
    private readonly key: string,
  ) {}

  get<T>(path: string): Promise<T> {
    return this.send('GET', path);
  }

  post<T>(path: string, body: object = {}): Promise<T> {
    return this.send('POST', path, body);
  }

  put<T>(path: string, body: object): Promise<T> {
    return this.send('PUT', path, body);
  }

  /** @throws Error with a sentence for the operator: nobody answers, or what the platform has against it */
  private async send<T>(method: string, path: string, body?: object): Promise<T> {
    const isForm = body instanceof FormData;
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: { authorization: `Bearer ${this.key}`, ...(body && !isForm && { 'content-type': 'application/json' }) },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_MS),
    }).catch((error: unknown) => {
      throw new Error(`No platform answers at ${this.url}: start it first, or name its address with --url`, {
        cause: error,
      });
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as T;
    throw new Error(`${method} ${path} was refused with ${response.status}: ${messageIn(text)}`);
  }
}

function messageIn(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: unknown }).message);
  } catch {
    return text.slice(0, 200);
  }
}
