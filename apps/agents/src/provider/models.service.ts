import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Inject, Injectable } from '@nestjs/common';
import { guardedStream, type EgressLimits } from '@plinth/egress';
import { CONFIG } from '@plinth/host';
import type { LanguageModel } from 'ai';
import type { Connection } from './connection';
import { addressPolicyOf, type ProviderConfig } from './provider.config';

/** Of everything that a provider answers to one request. */
const ANSWER_LIMIT_BYTES = 8 << 20;

/** The library would write to the console, which is no place for a log. */
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Language models whose calls keep to the rules for calls of servers that users name. */
@Injectable()
export class Models {
  private readonly limits: EgressLimits;

  constructor(@Inject(CONFIG) config: ProviderConfig) {
    const timeoutMs = config.aiProviderTimeoutMs;
    this.limits = { ...addressPolicyOf(config), timeoutMs, limitBytes: ANSWER_LIMIT_BYTES };
  }

  of({ kind, baseUrl, model, key }: Connection, chosen: string | null = null): LanguageModel {
    const name = chosen ?? model;
    const shared = { baseURL: baseUrl.replace(/\/+$/, ''), fetch: this.fetch, ...(key !== null && { apiKey: key }) };
    // Without a key the library would look for one in the environment.
    if (kind === 'anthropic') return createAnthropic({ apiKey: '', ...shared })(name);
    return createOpenAICompatible({ name: 'provider', includeUsage: true, ...shared })(name);
  }

  private readonly fetch = (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    const { method = 'GET', signal } = init;
    const body = typeof init.body === 'string' ? { body: init.body } : {};
    const headers = Object.fromEntries(new Headers(init.headers));
    return guardedStream(url, { method, headers, ...body, ...(signal && { signal }) }, this.limits);
  };
}
