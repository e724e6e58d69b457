import { createHash, randomBytes } from 'node:crypto';

const CLIENT_ID = 'cube-cli';
/** Nobody listens there: the browser stops at the redirection to it. */
export const CALLBACK = 'http://127.0.0.1/callback';

export interface OAuthTokens {
  access_token: string;
  refresh_token: string;
}

/** A browser without a screen: follows redirections, keeps cookies and sends forms, for tests that measure time. */
export class FormBrowser {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly baseUrl: string) {}

  /** Signs in with a password, approves the command-line client and redeems its code. */
  async connect(email: string, password: string): Promise<OAuthTokens> {
    const verifier = randomBytes(32).toString('base64url');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const callback = await this.approve(
      this.authorizeUrl({ code_challenge: challenge, prompt: 'consent' }),
      email,
      password,
    );
    return this.token({
      grant_type: 'authorization_code',
      code: new URL(callback).searchParams.get('code') ?? '',
      code_verifier: verifier,
      redirect_uri: CALLBACK,
    });
  }

  /** Opens the address that a client has sent the person to, signs in and approves. Returns where the client gets its answer. */
  async approve(address: string, email: string, password: string): Promise<string> {
    const signIn = await this.follow(address);
    const consent = await this.follow(signIn, { email, password });
    return this.follow(consent, { decision: 'approve' });
  }

  /** Whether this browser is signed in at a gateway, as a client learns that must not disturb the person. */
  async isSignedIn(baseUrl = this.baseUrl): Promise<boolean> {
    const url = this.authorizeUrl({ code_challenge: 'x'.repeat(43), prompt: 'none' }, baseUrl);
    const { searchParams } = new URL(await this.follow(url));
    return searchParams.get('error') !== 'login_required';
  }

  private authorizeUrl(more: Record<string, string>, baseUrl = this.baseUrl): string {
    const url = new URL('/auth/authorize', baseUrl);
    const common = { client_id: CLIENT_ID, response_type: 'code', redirect_uri: CALLBACK };
    const query = { ...common, scope: 'api offline_access', code_challenge_method: 'S256', ...more };
    url.search = new URLSearchParams(query).toString();
    return url.href;
  }

  /** Address of the page, or of the callback, that a link or a form leads to in the end. */
  private async follow(address: string, form?: Record<string, string>): Promise<string> {
    if (address.startsWith(CALLBACK)) return address;
    const reply = await fetch(address, {
      redirect: 'manual',
      headers: {
        cookie: [...this.cookies].map((pair) => pair.join('=')).join('; '),
        ...(form && { origin: new URL(address).origin }),
      },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const location = reply.headers.get('location');
    if (location === null && !reply.ok) throw new Error(`${address} answered ${reply.status}: ${await reply.text()}`);
    return location === null ? address : this.follow(new URL(location, address).href);
  }

  private async token(fields: Record<string, string>): Promise<OAuthTokens> {
    const body = new URLSearchParams({ client_id: CLIENT_ID, ...fields });
    const reply = await fetch(new URL('/auth/token', this.baseUrl), { method: 'POST', body });
    if (!reply.ok) throw new Error(`The code was not redeemed: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as OAuthTokens;
  }
}
