import { randomUUID } from 'node:crypto';
import { PATCH_OP } from '@plinth/scim-protocol';
import type { ApiClient, ApiReply } from './api-client';

/** One request of an identity provider, and what it makes of the reply. Texts may hold placeholders: {@link Replay}. */
export interface ReplayStep {
  /** Method and path below the root of SCIM, encoded as the provider encodes it. */
  request: string;
  body?: unknown;
  /** What a PATCH does, in place of the body. */
  operations?: object[];
  status: number;
  /** What the reply has, among others; lists are compared as a whole. */
  reply?: object;
  /** Attributes that the reply does not have. */
  lacks?: string[];
  /** Name under which later steps find the body of the reply. */
  keep?: string;
  /** How often the request is sent; `${n}` counts from 1. */
  times?: number;
  /** Asks for page after page, `${startIndex}` moving on, and looks at all resources together. */
  walk?: { total: number; has: object[] };
}

/** Steps that belong together. */
export interface ReplayChapter {
  title: string;
  steps: ReplayStep[];
}

/**
 * What an identity provider sends over time, in its own dialect. `${user.id}` is part of a reply that was kept, alone in a
 * text it is the value itself; `${guid}` is a new one each time. The key `...` takes over all of an object.
 */
export interface Replay {
  provider: string;
  headers: Record<string, string>;
  chapters: ReplayChapter[];
}

type Values = Record<string, unknown>;

const root = '/api/scim/v2';
const placeholder = /\$\{([\w.:-]+)\}/g;

/** Sends the steps of one replay, in order, and remembers what they keep. */
export class Replayer {
  private readonly kept: Values = {};

  constructor(
    private readonly client: ApiClient,
    private readonly headers: Record<string, string>,
  ) {}

  async play({ steps }: ReplayChapter): Promise<void> {
    for (const step of steps) {
      if (step.walk) await this.walk(step, step.walk);
      else for (let n = 1; n <= (step.times ?? 1); n += 1) await this.take(step, { n });
    }
  }

  private async take(step: ReplayStep, more: Values): Promise<ApiReply> {
    const values = { ...this.kept, ...more };
    const [method = '', path = ''] = step.request.split(/ (.*)/s);
    const target = path.replace(placeholder, (_match, name: string) => encodeURIComponent(String(find(values, name))));
    const content = step.operations ? { schemas: [PATCH_OP], Operations: step.operations } : step.body;
    const body = content === undefined ? {} : { body: filled(content, values) };
    const headers = Object.entries(this.headers).filter(([name]) => name !== 'Content-Type' || 'body' in body);
    const reply = await this.client.send(method, `${root}${target}`, {
      ...body,
      headers: Object.fromEntries(headers),
    });
    expect({ request: step.request, ...reply }).toMatchObject({
      request: step.request,
      status: step.status,
      ...(reply.body !== undefined && { headers: { 'content-type': 'application/scim+json; charset=utf-8' } }),
      ...(step.reply && { body: filled(step.reply, values) }),
    });
    for (const name of step.lacks ?? []) expect(reply.body).not.toHaveProperty([name]);
    if (step.keep) this.kept[step.keep] = reply.body;
    return reply;
  }

  private async walk(step: ReplayStep, { total, has }: { total: number; has: object[] }): Promise<void> {
    const seen: { id: string }[] = [];
    for (let startIndex = 1; startIndex <= total; startIndex += 100) {
      const { body } = await this.take({ ...step, reply: { totalResults: total, startIndex } }, { startIndex });
      const { Resources, itemsPerPage } = body as { Resources: { id: string }[]; itemsPerPage: number };
      expect(itemsPerPage).toBe(Resources.length);
      seen.push(...Resources);
    }
    expect(new Set(seen.map(({ id }) => id)).size).toBe(total);
    const wanted = has.map((each) => expect.objectContaining(filled(each, this.kept) as object) as unknown);
    expect(seen).toEqual(expect.arrayContaining(wanted));
  }
}

function filled(template: unknown, values: Values): unknown {
  if (typeof template === 'string') return filledText(template, values);
  if (Array.isArray(template)) return template.map((item) => filled(item, values));
  if (typeof template !== 'object' || template === null) return template;
  const entries = Object.entries(template).flatMap(([key, item]) => {
    const value = filled(item, values);
    return key === '...' ? Object.entries(value as object) : [[key, value] as const];
  });
  return Object.fromEntries(entries);
}

function filledText(text: string, values: Values): unknown {
  const [whole, name] = /^\$\{([\w.:-]+)\}$/.exec(text) ?? [];
  if (whole && name) return find(values, name);
  return text.replace(placeholder, (_match, each: string) => String(find(values, each)));
}

function find(values: Values, name: string): unknown {
  if (name === 'guid') return randomUUID();
  const found = name.split('.').reduce<unknown>((at, key) => (at as Values | undefined)?.[key], values);
  if (found === undefined) throw new Error(`The replay kept no ${name}`);
  return found;
}
