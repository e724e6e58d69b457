import { isAppToken, type GithubAppCredentials } from './app-credentials';
import type { GithubInstallation, GithubRepository, GithubState, TokenGrant } from './github-state';
import { badCredentials, notFound, ok, paged, problem, type Answer, type Exchange } from './http-exchange';

/** What routes work on. */
export interface RouteContext {
  app: GithubAppCredentials;
  state: GithubState;
  /** Base address of web pages, without a slash at its end. */
  webUrl: () => string;
  cloneUrl: (fullName: string) => string;
  onCreated: (repository: GithubRepository) => Promise<void> | void;
}

type Handler = (exchange: Exchange) => Answer | Promise<Answer>;
export type Route = readonly [method: string, path: RegExp, handler: Handler];

/** The part of GitHub's REST API that GitHub Apps work with (docs.github.com/rest). */
export const routesOf = (context: RouteContext): Route[] => [...appRoutes(context), ...repositoryRoutes(context)];

function appRoutes({ app, state, webUrl }: RouteContext): Route[] {
  const asApp =
    (handler: Handler): Handler =>
    (exchange) =>
      isAppToken(exchange.token, app) ? handler(exchange) : problem(401, 'A JSON web token could not be decoded');
  const installationOf = ({ groups }: Exchange) => state.installations.get(Number(groups[0]));
  return [
    ['GET', /^\/app$/, asApp(() => ok({ id: app.appId, slug: app.slug, html_url: `${webUrl()}/apps/${app.slug}` }))],
    [
      'GET',
      /^\/app\/installations\/(\d+)$/,
      asApp((exchange) => {
        const installation = installationOf(exchange);
        return installation ? ok(installationBody(installation, webUrl())) : notFound;
      }),
    ],
    [
      'POST',
      /^\/app\/installations\/(\d+)\/access_tokens$/,
      asApp((exchange) => issueToken(state, installationOf(exchange), exchange.body)),
    ],
    ['POST', /^\/login\/oauth\/access_token$/, ({ body }) => redeemCode(app, state, body)],
    ['GET', /^\/user$/, ({ token }) => asUser(state, token, (login) => ok({ login }))],
    [
      'GET',
      /^\/user\/installations$/,
      ({ token, url }) =>
        asUser(state, token, (login) => {
          const known = state.memberships.get(login);
          const seen = [...state.installations.values()].filter(
            ({ account }) => account.login === login || known?.has(account.login),
          );
          return paged(seen, url, (page) => ({
            total_count: seen.length,
            installations: page.map((each) => installationBody(each, webUrl())),
          }));
        }),
    ],
    [
      'GET',
      /^\/user\/memberships\/orgs\/([^/]+)$/,
      ({ token, groups: [organisation = ''] }) =>
        asUser(state, token, (login) => {
          const role = state.memberships.get(login)?.get(organisation);
          return role ? ok({ state: 'active', role, organization: { login: organisation } }) : notFound;
        }),
    ],
  ];
}

function repositoryRoutes(context: RouteContext): Route[] {
  const { state } = context;
  const bodyOf = (repository: GithubRepository) => repositoryBody(repository, context);
  const withToken =
    (handler: (exchange: Exchange, grant: TokenGrant) => Answer | Promise<Answer>): Handler =>
    (exchange) => {
      const grant = state.grantOf(exchange.token);
      return grant ? handler(exchange, grant) : badCredentials;
    };
  const withRepository = (handler: (exchange: Exchange, repository: GithubRepository) => Answer): Handler =>
    withToken((exchange, grant) => {
      const found = state.findRepository(`${exchange.groups[0]}/${exchange.groups[1]}`);
      const visible = found && (!found.repository.private || covers(grant, found.repository));
      return visible ? handler(exchange, found.repository) : notFound;
    });
  return [
    [
      'GET',
      /^\/installation\/repositories$/,
      withToken(({ url }, grant) => {
        const rows = grant.installation.repositories.filter((each) => covers(grant, each));
        return paged(rows, url, (page) => ({ total_count: rows.length, repositories: page.map(bodyOf) }));
      }),
    ],
    ['GET', /^\/repos\/([^/]+)\/([^/]+)$/, withRepository((_exchange, repository) => ok(bodyOf(repository)))],
    [
      'GET',
      /^\/repos\/([^/]+)\/([^/]+)\/branches$/,
      withRepository(({ url }, { branches }) =>
        paged([...branches].sort(), url, (page) => page.map((name) => ({ name, protected: false }))),
      ),
    ],
    ['POST', /^\/orgs\/([^/]+)\/repos$/, withToken((exchange, grant) => createRepository(context, exchange, grant))],
  ];
}

async function createRepository(
  context: RouteContext,
  { groups: [owner = ''], body }: Exchange,
  { installation }: TokenGrant,
): Promise<Answer> {
  if (installation.account.login !== owner) return problem(403, 'Resource not accessible by integration');
  const name = String(body['name']);
  const fullName = `${owner}/${name}`;
  if (context.state.findRepository(fullName)) return problem(422, 'Repository creation failed.');
  const repository: GithubRepository = {
    id: context.state.nextId(),
    name,
    fullName,
    private: body['private'] === true,
    defaultBranch: 'main',
    branches: [],
  };
  installation.repositories.push(repository);
  await context.onCreated(repository);
  return ok(repositoryBody(repository, context), 201);
}

function issueToken(
  state: GithubState,
  installation: GithubInstallation | undefined,
  body: Record<string, unknown>,
): Answer {
  if (!installation) return notFound;
  if (installation.suspended) return problem(403, 'This installation has been suspended');
  const names = body['repositories'] as string[] | undefined;
  const ids = body['repository_ids'] as number[] | undefined;
  const chosen = installation.repositories.filter(
    ({ id, name }) => ids?.includes(id) || names?.some((each) => each.toLowerCase() === name.toLowerCase()),
  );
  if ((names ?? ids) && chosen.length !== (names ?? ids)?.length) {
    return problem(422, 'There is at least one repository that does not exist or is not accessible');
  }
  const [token, { expiresAt }] = state.issueToken(installation, names || ids ? chosen.map(({ id }) => id) : null);
  const permissions = { contents: 'write', metadata: 'read', administration: 'write' };
  return ok({ token, expires_at: expiresAt.toISOString(), permissions, repository_selection: 'all' }, 201);
}

function redeemCode(app: GithubAppCredentials, state: GithubState, body: Record<string, unknown>): Answer {
  const known = body['client_id'] === app.clientId && body['client_secret'] === app.clientSecret;
  const token = known ? state.redeem(String(body['code'])) : undefined;
  // GitHub answers 200 here whatever is wrong.
  if (!token) return ok({ error: 'bad_verification_code', error_description: 'The code is incorrect or expired.' });
  return ok({ access_token: token, token_type: 'bearer', scope: '' });
}

function asUser(state: GithubState, token: string, handler: (login: string) => Answer): Answer {
  const login = state.userOf(token);
  return login === undefined ? badCredentials : handler(login);
}

const covers = ({ installation, repositoryIds }: TokenGrant, { id }: GithubRepository): boolean =>
  repositoryIds ? repositoryIds.includes(id) : installation.repositories.some((each) => each.id === id);

const installationBody = ({ id, account, suspended }: GithubInstallation, webUrl: string) => ({
  id,
  account: { ...account, avatar_url: `${webUrl}/avatars/${account.login}` },
  html_url: `${webUrl}/settings/installations/${id}`,
  repository_selection: 'all',
  suspended_at: suspended ? new Date().toISOString() : null,
});

const repositoryBody = (repository: GithubRepository, { webUrl, cloneUrl }: RouteContext) => ({
  id: repository.id,
  name: repository.name,
  full_name: repository.fullName,
  private: repository.private,
  owner: { login: repository.fullName.split('/')[0] },
  html_url: `${webUrl()}/${repository.fullName}`,
  clone_url: cloneUrl(repository.fullName),
  default_branch: repository.defaultBranch,
  size: repository.branches.length,
});
