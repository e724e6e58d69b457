import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { UnauthorizedError, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import { CALLBACK, FormBrowser } from './form-browser';

/** What a tool answered. */
export interface ToolReply {
  isError: boolean;
  /** The text of an error, and otherwise what the text is as JSON. */
  value: unknown;
}

/** The address of the MCP server of the tenant. */
const mcpUrl = (baseUrl: string): URL => new URL('/api/mcp', baseUrl);

/** A client with a credential that it was given. */
export async function connectWith(baseUrl: string, authorization: string): Promise<Client> {
  const client = new Client({ name: 'e2e', version: '1' });
  const requestInit = { headers: { authorization } };
  await client.connect(new StreamableHTTPClientTransport(mcpUrl(baseUrl), { requestInit }) as never);
  return client;
}

export async function callTool(client: Client, name: string, input: object = {}): Promise<ToolReply> {
  const { content, isError = false } = await client.callTool({ name, arguments: { ...input } });
  const [first] = content as { text: string }[];
  return { isError: isError === true, value: isError ? first?.text : JSON.parse(first?.text ?? '') };
}

/** Somebody at a browser with a client of the SDK, which finds by itself where to sign in. */
export class McpPerson implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  /** Where the client sent the person. */
  sentTo: URL | undefined;
  private information: OAuthClientInformationMixed | undefined;
  private current: OAuthTokens | undefined;
  private verifier = '';

  /** @param clientId of a client that is known already; without one, the client registers itself. */
  constructor(
    private readonly baseUrl: string,
    private readonly account: { email: string; password: string },
    clientId?: string,
  ) {
    if (clientId !== undefined) this.information = { client_id: clientId };
  }

  readonly clientMetadata: OAuthClientMetadata = {
    client_name: 'Assistant',
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };

  clientInformation = (): OAuthClientInformationMixed | undefined => this.information;
  tokens = (): OAuthTokens | undefined => this.current;
  codeVerifier = (): string => this.verifier;

  saveClientInformation(information: OAuthClientInformationMixed): void {
    this.information = information;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.current = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.sentTo = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  /** From the refusal of the server to a client that is connected. */
  async connect(): Promise<Client> {
    const first = this.transport();
    const refused = await new Client({ name: 'e2e', version: '1' }).connect(first as never).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(refused instanceof UnauthorizedError) || !this.sentTo)
      throw new Error('Nobody was sent to sign in', { cause: refused });
    const { email, password } = this.account;
    const callback = new URL(await new FormBrowser(this.baseUrl).approve(this.sentTo.href, email, password));
    await first.finishAuth(callback.searchParams.get('code') ?? '');
    const client = new Client({ name: 'e2e', version: '1' });
    await client.connect(this.transport() as never);
    return client;
  }

  private readonly transport = (): StreamableHTTPClientTransport =>
    new StreamableHTTPClientTransport(mcpUrl(this.baseUrl), { authProvider: this });
}
