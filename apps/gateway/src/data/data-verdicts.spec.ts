import { anonymousPrincipal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import { pino } from 'pino';
import { startBus, type AnsweredBus } from '../http/edge-fixture';
import type { Environment, Place } from './data-places';
import { verdictOn } from './data-verdicts';

const token = ['{}', '{"iss":"cubecloud"}', 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.');
const main: Environment = { environmentId: 1, branchName: 'main', type: 'production' };
const next: Environment = { environmentId: 2, branchName: 'next', type: 'staging' };
const production: Place = { tenantId: 1, deploymentId: 7, branch: undefined, environment: main };
const staging: Place = { ...production, branch: 'next', environment: next };
const session = {
  ...anonymousPrincipal(1, 'acme'),
  kind: 'embed-session',
  credentialId: 'embed-session:a',
  embed: { sessionId: 'a', deploymentId: 7, embedUserId: 4, embedTenantName: 'acme', groupIds: [], isCreator: false },
};

describe('what the token of an embed session opens of data', () => {
  let services: AnsweredBus;
  let branchName: string | null;
  let isOpen: boolean;
  let isOver: boolean;

  beforeEach(async () => {
    [branchName, isOpen, isOver] = [null, true, false];
    services = await startBus(
      {
        authenticateEmbedSession: async () => ({ principal: isOpen ? session : null, validForMs: isOpen ? 5_000 : 0 }),
        describeEmbedSession: async ({ body }) => {
          if (isOver || body.sessionId !== 'a') throw new AppError('embed_session.ended', 'It is over');
          return { branchName, securityContext: { plant: 7 } };
        },
      },
      pino({ enabled: false }),
    );
  });
  afterEach(() => services.close());

  const refusal = async (place: Place) => (await verdictOn(services.bus, place, 'data', token)).refusal;

  it('is nothing when it opens no session, or one that has ended meanwhile', async () => {
    isOver = true;
    expect(await refusal(production)).toBe('revoked');
    isOpen = false;
    expect(await refusal(production)).toBe('invalid');
  });

  it('is nothing of another deployment', async () => {
    expect(await refusal({ ...production, deploymentId: 8 })).toBe('other_deployment');
  });

  it('is the branch of the session alone', async () => {
    expect(await refusal(staging)).toBe('other_environment');
    expect(await refusal({ ...production, environment: undefined })).toBe('other_environment');
    branchName = 'next';
    expect(await refusal(production)).toBe('other_environment');
    expect(await refusal(staging)).toBeUndefined();
  });

  it('is data under the context of the session, for as long as the token is valid', async () => {
    expect(await verdictOn(services.bus, production, 'data', token)).toEqual({
      access: { credentialId: 'embed-session:a', userId: null, securityContext: { plant: 7 }, validForMs: 5_000 },
    });
  });
});
