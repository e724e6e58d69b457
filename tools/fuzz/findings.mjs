/** What was found, each thing once. */
export class Findings {
  #found = new Map();

  get count() {
    return this.#found.size;
  }

  has(signature) {
    return this.#found.has(signature);
  }

  /** Prints it the first time; `details` are lines that help to see it again. */
  add(signature, ...details) {
    const times = (this.#found.get(signature) ?? 0) + 1;
    this.#found.set(signature, times);
    if (times > 1) return;
    console.error(`FOUND ${signature}`);
    for (const detail of details.filter(Boolean)) console.error(String(detail).replace(/^/gm, '      '));
  }

  /** Signatures, and how often each was seen. */
  entries() {
    return [...this.#found];
  }
}

export const signatureOf = (operation, { kind, status, code }) =>
  [operation.id, kind, status, code].filter((part) => part !== undefined).join(' | ');

const LONGEST_BODY = 6_000;

/** The request as a command for a shell. */
export function asCommand(client, request) {
  const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
  const { Authorization, ...headers } = client.headersOf(request);
  const { 'Content-Length': _length, ...own } = headers;
  const flags = Object.entries(own).map(
    ([name, value]) => `-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`,
  );
  const credential = Authorization ? [`-H "Authorization: Bearer $${request.credential.toUpperCase()}"`] : [];
  const curl = [
    'curl -i --path-as-is -X',
    request.method,
    quote(`${client.url.origin}${request.target}`),
    ...credential,
    ...flags,
  ];
  const note = request.behaviour === 'patient' ? '' : `   # as a client that is: ${request.behaviour}`;
  if (!request.body) return `${curl.join(' ')}${note}`;
  const text = request.body.toString();
  const isText = Buffer.from(text).equals(request.body) && !/[^\n\x20-\x7e\u00a0-\ud7ff]/.test(text);
  if (isText && text.length <= LONGEST_BODY) return `${curl.join(' ')} --data-binary ${quote(text)}${note}`;
  const bytes = request.body.toString('base64');
  const shown = bytes.length > LONGEST_BODY ? `${bytes.slice(0, 200)}... (${request.body.length} bytes)` : bytes;
  return `echo ${shown} | base64 -d | ${curl.join(' ')} --data-binary @-${note}`;
}
