import { systemPrincipal } from '@plinth/auth';
import type { ReplyOf, Schemas } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import type { Bus } from '@plinth/messaging';
import { isSessionToken } from '../auth/session-token';
import type { Place } from './data-places';

export type DataUse = Schemas['VerifyDataTokenRequest']['use'];

export type DataRefusal = NonNullable<ReplyOf<'verifyDataToken'>['refusal']>;

/** What a token opens at a place, or why it opens nothing. */
export interface Verdict {
  access: {
    credentialId: string;
    userId: number | null;
    securityContext: Record<string, unknown>;
    validForMs: number;
  } | null;
  refusal?: DataRefusal | undefined;
}

const refused = (refusal: DataRefusal): Verdict => ({ access: null, refusal });

/** Asks the service that has issued the token. */
export const verdictOn = (bus: Bus, place: Place, use: DataUse, token: string): Promise<Verdict> =>
  isSessionToken(token) ? onSessionToken(bus, place, token) : onDataToken(bus, place, use, token);

async function onDataToken(bus: Bus, place: Place, use: DataUse, token: string): Promise<Verdict> {
  const { tenantId, deploymentId, environment } = place;
  const { access, refusal } = await bus.ask('verifyDataToken', systemPrincipal(tenantId), {
    token,
    deploymentId,
    environmentId: environment?.environmentId ?? null,
    isProduction: environment?.type === 'production',
    use,
  });
  return { access: access && { ...access, credentialId: `data-token:${access.tokenId}` }, refusal };
}

/** An embed session opens its deployment on its branch, and queries run under its context. */
async function onSessionToken(bus: Bus, place: Place, token: string): Promise<Verdict> {
  const asking = systemPrincipal(place.tenantId);
  const { principal, validForMs } = await bus.ask('authenticateEmbedSession', asking, { token });
  if (!principal?.embed) return refused('invalid');
  const { credentialId, userId, embed } = principal;
  if (embed.deploymentId !== place.deploymentId) return refused('other_deployment');
  const facts = await bus.ask('describeEmbedSession', asking, { sessionId: embed.sessionId }).catch(endedMeanwhile);
  if (!facts) return refused('revoked');
  if (!isBranchOf(place, facts.branchName)) return refused('other_environment');
  return { access: { credentialId, userId, securityContext: facts.securityContext, validForMs } };
}

const isBranchOf = ({ environment }: Place, branchName: string | null): boolean =>
  branchName === null ? environment?.type === 'production' : environment?.branchName === branchName;

function endedMeanwhile(error: unknown): null {
  if (error instanceof AppError && error.code === 'embed_session.ended') return null;
  throw error;
}
