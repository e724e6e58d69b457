import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import type { Bus } from '@plinth/messaging';
import type { InteractionResults, Provider } from 'oidc-provider';
import { html, type Html } from '@plinth/html';
import { MCP_SCOPE } from '../dialects/mcp-access';
import { complaint, pageHeadersFor, sendPage } from '../pages/page-layout';
import { paths } from './endpoints';
import { errors } from './oidc-provider';

/** A step of a flow that a person has to take: signing in, or approving what a client asks for. */
export interface Step {
  server: Provider;
  bus: Bus;
  principal: Principal;
  request: IncomingMessage;
  response: ServerResponse;
  /** Id of the flow in the path; the cookie of the browser has to name it too. */
  id: string;
  /** Fields of the form that was sent; undefined when the page was only asked for. */
  form: URLSearchParams | undefined;
}

/** What a client asks for. A resource is the MCP server: there is no other. */
interface GrantParameters {
  client_id: string;
  scope?: string;
  resource?: string | string[];
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

const scopeTexts: Readonly<Record<string, string>> = {
  [MCP_SCOPE]: 'Query data, read dashboards and ask agents with your rights, as long as it is used every 30 days',
  api: 'Use the platform with all your rights',
  offline_access: 'Stay connected as long as it is used every 30 days',
  openid: 'Know who you are',
  profile: 'See your name',
  email: 'See your email address',
};

/** Shows the page of the step, or takes the form that was sent. */
export async function takeStep(step: Step, kind: 'signIn' | 'consent'): Promise<void> {
  const interaction = await interactionOf(step, kind);
  if (kind === 'signIn') await signIn(step, interaction);
  else await consent(step, interaction);
}

async function interactionOf({ server, request, response, id }: Step, kind: string): Promise<Interaction> {
  const interaction = await server.interactionDetails(request, response).catch((error: unknown) => {
    throw error instanceof errors.SessionNotFound ? expired() : error;
  });
  const expected = kind === 'signIn' ? 'login' : 'consent';
  if (interaction.uid !== id || interaction.prompt.name !== expected) throw expired();
  return interaction;
}

async function signIn(step: Step, interaction: Interaction): Promise<void> {
  const { form } = step;
  if (!form)
    return show(step, interaction, 200, titleOf(step), signInForm('', undefined, await clientName(step, interaction)));
  const email = form.get('email') ?? '';
  const attempt = await attemptSignIn(step, email, form.get('password') ?? '');
  if (typeof attempt === 'number' && isSomebodyElse(interaction, attempt)) {
    return refuse(step, interaction, email, 'Somebody else is signed in in this browser: sign out first');
  }
  if (typeof attempt === 'string') return refuse(step, interaction, email, attempt);
  await finish(step, { login: { accountId: String(attempt) } });
}

/** Id of the user, or why the attempt failed. */
async function attemptSignIn({ bus, principal }: Step, email: string, password: string): Promise<number | string> {
  if (email.length > 254 || password.length > 4_096) return 'The email address or the password is wrong';
  try {
    const { userId } = await bus.call('signIn', { principal, path: {}, query: {}, body: { email, password } });
    return userId ?? 'The email address or the password is wrong';
  } catch (error) {
    if (error instanceof AppError && error.code === 'request.rate_limited') return error.message;
    throw error;
  }
}

const isSomebodyElse = ({ session }: Interaction, userId: number): boolean =>
  session?.accountId !== undefined && session.accountId !== String(userId);

async function refuse(step: Step, interaction: Interaction, email: string, reason: string): Promise<void> {
  show(step, interaction, 400, titleOf(step), signInForm(email, reason, await clientName(step, interaction)));
}

const titleOf = ({ principal }: Step): string => `Sign in to ${principal.tenantName}`;

const signInForm = (email: string, refusal: string | undefined, client: string): Html =>
  html`<p>to continue to <strong>${client}</strong>.</p>
    ${complaint(refusal)}
    <form method="post">
      <label for="email">Email address</label>
      <input
        type="email"
        id="email"
        name="email"
        value="${email.slice(0, 254)}"
        autocomplete="username"
        maxlength="254"
        required
        aria-invalid="${String(refusal !== undefined)}"
        ${refusal ? html`aria-describedby="complaint"` : html`autofocus`}
      />
      <label for="password">Password</label>
      <input
        type="password"
        id="password"
        name="password"
        autocomplete="current-password"
        required
        aria-invalid="${String(refusal !== undefined)}"
        ${refusal ? html`aria-describedby="complaint" autofocus` : undefined}
      />
      <button type="submit">Sign in</button>
    </form>`;

async function consent(step: Step, interaction: Interaction): Promise<void> {
  const accountId = interaction.session?.accountId;
  if (accountId === undefined) throw expired();
  if (!step.form) return showConsent(step, interaction, accountId);
  if (step.form.get('decision') !== 'approve') {
    return finish(step, { error: 'access_denied', error_description: 'The user refused the request' });
  }
  const { client_id, scope = '', resource } = interaction.params as unknown as GrantParameters;
  const grant = new step.server.Grant({ accountId, clientId: client_id });
  const scopes = scope.split(' ').filter((each) => each !== '' && each !== MCP_SCOPE);
  if (scopes.length > 0) grant.addOIDCScope(scopes.join(' '));
  for (const each of [resource ?? []].flat()) grant.addResourceScope(each, MCP_SCOPE);
  await finish(step, { consent: { grantId: await grant.save() } });
}

async function showConsent(step: Step, interaction: Interaction, accountId: string): Promise<void> {
  const { bus, principal, server } = step;
  const body = { userId: Number(accountId) };
  const { user } = await bus.call('describeSignedInUser', { principal, path: {}, query: {}, body });
  if (!user) throw expired();
  const { deviceCode } = interaction as { deviceCode?: string };
  const device = deviceCode === undefined ? undefined : await server.DeviceCode.find(deviceCode);
  const scopes = String(interaction.params['scope'] ?? '')
    .split(' ')
    .filter(Boolean);
  const content = html`<p><strong>${await clientName(step, interaction)}</strong> asks to act for you.</p>
    ${device?.userCode && codeToCompare(device.userCode, device.deviceInfo)}
    <p>Account: <strong>${user.email}</strong> at ${principal.tenantName}</p>
    <p id="scopes">It will be able to:</p>
    <ul aria-labelledby="scopes">
      ${scopes.map((scope) => html`<li>${scopeTexts[scope] ?? scope}</li>`)}
    </ul>
    ${answeredAt(interaction)}
    <form method="post">
      <button type="submit" name="decision" value="approve">Approve</button>
      <button type="submit" name="decision" value="deny" class="second">Deny</button>
    </form>
    <p class="hint">Not you? <a href="${paths.signOut}">Sign out</a></p>`;
  show(step, interaction, 200, 'Approve this request?', content);
}

/** Whoever registers a client chooses its name; where the answer goes cannot be made up. */
function answeredAt({ params }: Interaction): Html | undefined {
  const target = params['redirect_uri'];
  if (typeof target !== 'string' || !URL.canParse(target)) return undefined;
  const { protocol, host } = new URL(target);
  return html`<p class="hint">
    The answer goes to <strong>${host === '' ? protocol : `${protocol}//${host}`}</strong>.
  </p>`;
}

const codeToCompare = (code: string, info: { ip?: unknown } | undefined): Html =>
  html`<p>Approve only if your device shows this code:</p>
    <p class="code">${`${code.slice(0, 4)}-${code.slice(4)}`}</p>
    ${typeof info?.ip === 'string' ? html`<p class="hint">Asked for from ${info.ip}.</p>` : undefined}`;

async function clientName({ server }: Step, { params }: Interaction): Promise<string> {
  const client = await server.Client.find(String(params['client_id']));
  return client?.clientName ?? client?.clientId ?? 'an unknown client';
}

async function finish({ server, request, response }: Step, result: InteractionResults): Promise<void> {
  await server.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

/** A form may lead on to the client that sent the person here, and browsers ask the policy for that address too. */
function show({ response }: Step, { params }: Interaction, status: number, title: string, content: Html): void {
  const target = params['redirect_uri'];
  const headers = pageHeadersFor(
    typeof target === 'string' && URL.canParse(target) ? new URL(target).origin : undefined,
  );
  sendPage(response, { status, title, content }, headers);
}

const expired = (): AppError =>
  new AppError('request.not_found', 'This sign-in has expired or was begun in another browser: start again');
