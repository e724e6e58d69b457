import { PATCH_OP } from '@plinth/scim-protocol';
import type { ApiClient, ApiReply, RequestOptions } from './api-client';

export type Json = Record<string, unknown>;

const SCIM_ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

type Query = Record<string, unknown>;
type More = Pick<RequestOptions, 'query' | 'headers'>;

let people = 0;

/** A user name that no other user of this suite has; addresses are made the same way. */
export const newPerson = (): string => `person-${(people += 1)}@acme.test`;

/** Users or groups of one tenant, as an identity provider reaches them. */
export class ScimResources {
  readonly path: string;

  constructor(
    private readonly client: ApiClient,
    collection: 'Users' | 'Groups',
  ) {
    this.path = `/api/scim/v2/${collection}`;
  }

  post(body: unknown, more: More = {}): Promise<ApiReply> {
    return this.client.send('POST', this.path, { body, ...more });
  }

  get(id: unknown, more: More = {}): Promise<ApiReply> {
    return this.client.send('GET', this.at(id), more);
  }

  put(id: unknown, body: unknown, more: More = {}): Promise<ApiReply> {
    return this.client.send('PUT', this.at(id), { body, ...more });
  }

  patch(id: unknown, ...operations: Json[]): Promise<ApiReply> {
    return this.patchWith(id, operations);
  }

  patchWith(id: unknown, Operations: readonly Json[], more: More = {}): Promise<ApiReply> {
    return this.client.send('PATCH', this.at(id), { body: { schemas: [PATCH_OP], Operations }, ...more });
  }

  delete(id: unknown, more: More = {}): Promise<ApiReply> {
    return this.client.send('DELETE', this.at(id), more);
  }

  list(query: Query = {}): Promise<ApiReply> {
    return this.client.send('GET', this.path, { query });
  }

  /** The resource that must be created. */
  async create(body: Json): Promise<Json> {
    const reply = await this.post(body);
    expect(reply).toMatchObject({ status: 201 });
    return bodyOf(reply);
  }

  /** The resource, which must be there. */
  async read(id: unknown, query: Query = {}): Promise<Json> {
    const reply = await this.get(id, { query });
    expect(reply).toMatchObject({ status: 200 });
    return bodyOf(reply);
  }

  /** What satisfies the filter, which must be one. */
  async find(filter: string, query: Query = {}): Promise<Json[]> {
    const { status, body } = await this.list({ filter, ...query });
    expect({ filter, status, body }).toMatchObject({ filter, status: 200 });
    return (body as Json)['Resources'] as Json[];
  }

  private at(id: unknown): string {
    return `${this.path}/${String(id)}`;
  }
}

export const bodyOf = ({ body }: ApiReply): Json => body as Json;

/** That the reply is an error in the form of SCIM (RFC 7644, section 3.12). */
export function expectScimError(reply: ApiReply, status: number, scimType?: string): void {
  expect(reply).toMatchObject({
    status,
    headers: { 'content-type': 'application/scim+json; charset=utf-8' },
    body: {
      schemas: [SCIM_ERROR],
      status: String(status),
      detail: expect.stringMatching(/./),
      ...(scimType && { scimType }),
    },
  });
}
