import { validateReply, type Schemas } from '@plinth/contract';

export type ChatLine = Schemas['ChatLine'];

/** Asks an agent as a client of the hosted platform would: one address, a credential, lines of JSON. */
export class ChatClient {
  constructor(
    /** Address of the stream, as the agent shows it. */
    readonly chatUrl: string,
    readonly headers: Record<string, string>,
    private readonly sessionSettings?: object,
  ) {}

  /** The same conversation with other headers, at another gateway, or for somebody else. */
  with(changes: { chatUrl?: string; headers?: Record<string, string>; sessionSettings?: object }): ChatClient {
    const { chatUrl, headers, sessionSettings } = { ...this, sessionSettings: this.sessionSettings, ...changes };
    return new ChatClient(chatUrl, headers, sessionSettings);
  }

  open(body: object): Promise<Response> {
    return this.post(this.chatUrl, body);
  }

  /** Asks and reads to the end. */
  async ask(body: object): Promise<ChatLine[]> {
    const lines: ChatLine[] = [];
    for await (const line of linesOf(await this.open(body))) lines.push(line);
    return lines;
  }

  async refusal(body: object): Promise<{ status: number; code: string | undefined }> {
    return refused(await this.open(body));
  }

  abort(chatId: string): Promise<Response> {
    return this.post(this.chatUrl.replace(/stream-chat-state$/, 'abort'), { chatId });
  }

  private post(url: string, body: object): Promise<Response> {
    const headers = { 'content-type': 'application/json', ...this.headers };
    const { sessionSettings } = this;
    return fetch(url, { method: 'POST', headers, body: JSON.stringify({ sessionSettings, ...body }) });
  }
}

async function refused(response: Response): Promise<{ status: number; code: string | undefined }> {
  const { code } = (await response.json()) as { code?: string };
  return { status: response.status, code };
}

/** The lines of a stream as they come, each one as the contract has it. @throws where the stream is cut off. */
export async function* linesOf(response: Response): AsyncGenerator<ChatLine> {
  if (!response.ok || !response.body)
    throw new Error(`The agent answered ${response.status}: ${await response.text()}`);
  let rest = '';
  for await (const part of response.body.pipeThrough(new TextDecoderStream()) as AsyncIterable<string>) {
    const pieces = (rest + part).split('\n');
    rest = pieces.pop() ?? '';
    for (const piece of pieces) {
      const line = JSON.parse(piece) as ChatLine;
      const problems = validateReply('streamChatState', 200, line);
      if (problems.length > 0) throw new Error(`${piece} is outside the contract: ${JSON.stringify(problems)}`);
      yield line;
    }
  }
  if (rest !== '') throw new Error('The last line has no end');
}

/** What the agent has answered at last: the last line whose path begins with `final`. */
export const answerIn = (lines: readonly ChatLine[]): string | undefined =>
  lines.filter(({ graphPath, isInProcess }) => graphPath[0] === 'final' && !isInProcess).at(-1)?.content;

export const chatIdIn = (lines: readonly ChatLine[]): string => lines[0]?.state?.chatId ?? '';
