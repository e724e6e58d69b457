import { anonymousPrincipal, systemPrincipal, type Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import type { EmbedFixture, TestAccount } from './embed-fixture';

export const DEPLOYMENT = 12;

/** Sessions of one account, as a host application, a frame and the other services ask for them. */
export interface TestSessions {
  account: TestAccount;
  /** The id of a session of `ada` without an embed tenant, as far as the request says nothing else. */
  generate(request?: object, caller?: Principal): Promise<string>;
  refusal(request: object, caller?: Principal): Promise<{ status: number; code: string }>;
  exchange(sessionId: string): Promise<string>;
  /** The code that the exchange is refused with. */
  exchangeRefusal(sessionId: string): Promise<{ status: number; code: string }>;
  authenticate(token: string, tenantId?: number): Promise<Principal | null>;
  /** Makes a session and opens it. */
  open(request?: object): Promise<{ sessionId: string; token: string; principal: Principal }>;
  describe(principal: Principal): Promise<ReplyOf<'describeEmbedSession'>>;
  /** Moves the clock of sessions on. */
  pass(minutes: number): Promise<void>;
  count(table: string): Promise<number>;
}

export function testSessions(platform: EmbedFixture): TestSessions {
  const account = platform.newAccount();
  account.deployments.set(DEPLOYMENT, { served: ['staging', 'dev-ada-1'], others: ['idle'] });
  const { tenantId } = account;
  const nobody = anonymousPrincipal(tenantId, 'acme');
  const body = (request: object) => ({ deploymentId: DEPLOYMENT, externalId: 'ada', ...request });
  const system = systemPrincipal(tenantId);
  const sessions: TestSessions = {
    account,
    generate: async (request = {}, caller = account.admin) =>
      (await platform.call(caller, 'generateSession', { body: body(request) })).sessionId,
    refusal: (request, caller = account.admin) => platform.refusal(caller, 'generateSession', { body: body(request) }),
    exchange: async (sessionId) => (await platform.call(nobody, 'postTokenBySessionId', { body: { sessionId } })).token,
    exchangeRefusal: (sessionId) => platform.refusal(nobody, 'postTokenBySessionId', { body: { sessionId } }),
    authenticate: async (token, inTenant = tenantId) =>
      (await platform.call(systemPrincipal(inTenant), 'authenticateEmbedSession', { body: { token } })).principal,
    open: async (request = {}) => {
      const sessionId = await sessions.generate(request);
      const token = await sessions.exchange(sessionId);
      const principal = await sessions.authenticate(token);
      if (!principal) throw new Error('A session that was opened a moment ago is unknown');
      return { sessionId, token, principal };
    },
    describe: ({ embed }) =>
      platform.call(system, 'describeEmbedSession', { body: { sessionId: embed?.sessionId ?? '' } }),
    pass: async (minutes) => {
      await platform.database.run(
        tenantId,
        { name: '', text: 'update embed_session set expires_at = expires_at - make_interval(mins => $1)' },
        [minutes],
      );
    },
    count: async (table) => {
      const text = `select count(*)::int as count from ${table}`;
      return (await platform.database.read<{ count: number }>(tenantId, { name: '', text }))[0]?.count ?? 0;
    },
  };
  return sessions;
}
