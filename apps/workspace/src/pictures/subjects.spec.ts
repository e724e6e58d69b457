import { AppError } from '@plinth/errors';
import type { OperationId } from '@plinth/contract';
import { createBus, InProcessHub, type Call, type Handler } from '@plinth/messaging';
import { createLogger } from '@plinth/observability';
import { QueryRunner } from '@plinth/queries';
import { identityOf, Subjects } from './subjects.service';

const logger = createLogger('workspace', 'silent');
const gone = () => new AppError('auth.credential_invalid', 'There is no such user');

describe(Subjects.name, () => {
  let subjects: Subjects;
  let close: () => Promise<unknown>;
  let resolved: unknown[];

  beforeEach(async () => {
    const hub = new InProcessHub();
    const [own, controlPlane, embed] = await Promise.all(
      (['workspace', 'control-plane', 'embed'] as const).map((name) => createBus({ name, hub, logger })),
    );
    if (!own || !controlPlane || !embed) throw new Error('There is no bus');
    resolved = [];
    await controlPlane.serve(
      handlers({
        locateEnvironment: async () => ({ environment: { environmentId: 1, branchName: 'main', type: 'production' } }),
        describeDataCaller: async ({ body }: Call<'describeDataCaller'>) => {
          if (body.userId === 9 || body.email === 'gone@acme.test') throw gone();
          const securityContext = { of: body.userId };
          return {
            userId: body.userId,
            securityContext,
            isDownloadRestricted: false,
            isPythonEnabled: true,
            timeZone: 'Asia/Tokyo',
          };
        },
      }),
    );
    await embed.serve(
      handlers({
        resolveEmbedSubject: async ({ body }: Call<'resolveEmbedSubject'>) => {
          resolved.push(body);
          const { embedTenantName, externalId } = body;
          const known = { embedTenantName, externalId, email: null, displayName: null, groups: [], userAttributes: {} };
          return { ...known, embedUserId: 4, securityContext: { plant: 7 } };
        },
      }),
    );
    subjects = new Subjects(own, new QueryRunner(own));
    close = () => Promise.all([own, controlPlane, embed].map((each) => each.close()));
  });
  afterEach(() => close());

  it('finds no user who is deactivated or gone, not even one who is so since the start', async () => {
    const unknown = { code: 'user.not_found' };
    await expect(subjects.find(1, { type: 'USER', email: 'gone@acme.test' })).rejects.toMatchObject(unknown);
    await expect(subjects.viewerOf(1, 2, { type: 'USER', userId: 9 })).rejects.toMatchObject(unknown);
  });

  it('reads data as a user, and takes turns at engines for them', async () => {
    const subject = await subjects.find(1, { type: 'USER', userId: 5 });
    const viewer = await subjects.viewerOf(1, 2, subject);
    expect(viewer).toMatchObject({ deploymentId: 2, securityContext: { of: 5 }, timeZone: 'Asia/Tokyo' });
    expect(viewer.principal).toMatchObject({ credentialId: identityOf(subject), userId: 5 });
  });

  it('makes an embed user, and reads data under what holds for this picture', async () => {
    const named = { embedTenantName: 'acme', externalId: 'ada' };
    const given = {
      groups: ['Sales'],
      userAttributes: [{ name: 'region', value: 'EU' }],
      securityContext: { plant: 7 },
    };
    const subject = await subjects.find(1, { type: 'EMBED_USER', ...named, ...given });
    expect(resolved).toEqual([{ ...named, ...given, email: null, provision: true }]);
    expect(identityOf(subject)).toBe('embed-user:4');
    const viewer = await subjects.viewerOf(1, 2, subject);
    expect(viewer.securityContext).toEqual({ plant: 7 });
    expect(viewer.principal).toMatchObject({ userId: null });
  });
});

const handlers = (served: Record<string, unknown>): ReadonlyMap<OperationId, Handler> =>
  new Map(Object.entries(served)) as unknown as ReadonlyMap<OperationId, Handler>;
