import { text } from 'node:stream/consumers';
import type { Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import type { StreamReply } from '@plinth/messaging';
import { startScriptedModel, type ScriptedModel } from '@plinth/testing';
import { startAgents, viewerOf, type AgentsFixture, type transports } from './agents-fixture';

export type ChatLine = Schemas['ChatLine'];

const openProviders = {
  PLINTH_AI_ALLOW_INSECURE_PROVIDERS: 'true',
  PLINTH_AI_PROVIDER_TIMEOUT_MS: '60000',
  PLINTH_SHUTDOWN_GRACE_MS: '1000',
};

/** An account with an agent, whose model says what a test has it say. */
export interface ChatFixture {
  platform: AgentsFixture;
  model: ScriptedModel;
  /** Gives up the account of the test before. */
  renew(): Promise<void>;
  admin(): Principal;
  viewer(): Principal;
  path(): { accountName: string; agentId: number };
  /** Asks and reads to the end, as the administrator unless somebody else is named. */
  ask(body: object, who?: Principal): Promise<ChatLine[]>;
  /** Reads line by line. */
  open(body: object, who?: Principal): Promise<AsyncIterator<ChatLine>>;
  stop(): Promise<void>;
}

export async function startChat(
  transport: (typeof transports)[number] = 'in-process',
  settings: Record<string, string> = {},
): Promise<ChatFixture> {
  const model = await startScriptedModel();
  const platform = await startAgents(transport, { ...openProviders, ...settings });
  let admin: Principal;
  let path: { accountName: string; agentId: number };
  const own = (body: object, who: Principal) => ({ sessionSettings: { internalId: who.email }, ...body });
  return {
    platform,
    model,
    admin: () => admin,
    viewer: () => viewerOf(admin),
    path: () => path,
    renew: async () => {
      const account = platform.newAccount();
      ({ admin } = account);
      for (const { email, userId } of [admin, viewerOf(admin)])
        platform.surroundings.users.set(email ?? '', userId ?? 0);
      platform.surroundings.asked.length = 0;
      const { items } = await platform.call(admin, 'listAgents', { path: { deploymentId: account.deploymentId } });
      path = { accountName: admin.tenantName, agentId: items[0]?.id ?? 0 };
      const body = { kind: 'openai-compatible', baseUrl: model.baseUrl, model: 'large-1', key: 'sk-secret' };
      await platform.call(admin, 'setAiProvider', { body });
    },
    ask: async (body, who = admin) => {
      return linesIn(await platform.stream(who, { path, body: own(body, who) }));
    },
    open: async (body, who = admin) => {
      const { stream } = await platform.stream(who, { path, body: own(body, who) });
      return eachLine(stream);
    },
    stop: async () => {
      await platform.stop();
      await model.stop();
    },
  };
}

/** The lines of a stream, read to its end. */
export const linesIn = async ({ stream }: StreamReply): Promise<ChatLine[]> => linesOf(await text(stream));

const linesOf = (content: string): ChatLine[] =>
  content
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ChatLine);

async function* eachLine(stream: AsyncIterable<Uint8Array>): AsyncGenerator<ChatLine> {
  let rest = '';
  for await (const part of stream) {
    const pieces = (rest + Buffer.from(part).toString()).split('\n');
    rest = pieces.pop() ?? '';
    for (const piece of pieces) yield JSON.parse(piece) as ChatLine;
  }
}

/** What the agent has answered at last. */
export const answerIn = (lines: readonly ChatLine[]): string | undefined =>
  lines.filter(({ graphPath, isInProcess }) => graphPath[0] === 'final' && !isInProcess).at(-1)?.content;

export const chatIdIn = (lines: readonly ChatLine[]): string => lines[0]?.state?.chatId ?? '';

/** Results of tools, by the order of their calls. */
export const resultsIn = (lines: readonly ChatLine[]): Record<string, unknown>[] =>
  [...lines]
    .sort((left, right) => left.sort - right.sort)
    .flatMap(({ toolCall, isInProcess }) =>
      toolCall?.result !== undefined && !isInProcess ? [JSON.parse(toolCall.result) as Record<string, unknown>] : [],
    );
