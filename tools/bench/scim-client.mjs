// An identity provider, as far as the bench needs one. Whatever is not the expected answer ends the bench.
import { send } from './client.mjs';

const base = '/api/scim/v2';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

export class ScimClient {
  constructor(url, token) {
    this.url = url;
    this.token = token;
  }

  /** A client with a token of its own. */
  static async connect(url) {
    const { token } = await send(url, 'POST', '/api/v1/scim/tokens', { name: 'Bench' });
    return new ScimClient(url, token);
  }

  /** Status, milliseconds to the last byte, and the text of the answer. */
  async request(method, path, { query = {}, body } = {}) {
    const search = new URLSearchParams(query).toString();
    const start = performance.now();
    const response = await fetch(`${this.url}${base}${path}${search && `?${search}`}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body && { 'content-type': 'application/scim+json' }),
      },
      ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, ms: performance.now() - start, text };
  }

  async expect(status, method, path, options) {
    const answer = await this.request(method, path, options);
    if (answer.status === status) return answer;
    throw new Error(`${method} ${path} answered ${answer.status} instead of ${status}: ${answer.text.slice(0, 500)}`);
  }

  async list(path, query) {
    const { ms, text } = await this.expect(200, 'GET', path, { query });
    return { ms, bytes: text.length, ...JSON.parse(text) };
  }

  patch(path, ...Operations) {
    return this.request('PATCH', path, { body: { schemas: [PATCH], Operations } });
  }
}

export const memberOperation = (op, ...ids) => ({ op, path: 'members', value: ids.map((value) => ({ value })) });
