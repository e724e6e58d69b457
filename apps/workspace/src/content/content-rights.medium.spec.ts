import { systemPrincipal } from '@plinth/auth';
import { managerFor, type Database } from '@plinth/database';
import { createTestDatabase } from '@plinth/testing';
import { workspaceSchema } from '../workspace.schema';
import type { ItemType } from './item.entity';
import { ItemsRepository } from './items.repository';
import { ContentRights } from './content-rights.service';
import { rankOf, type Viewer } from './viewer';
import { rightsOf, type Whereabouts } from './visibility';

const TENANT = 7;
const DEPLOYMENT = 3;
const [OWNER, READER] = [11, 12];
const nothing = { FOLDER: 0, WORKBOOK: 0, REPORT: 0 };
const viewer = (userId: number | null, more: Partial<Viewer> = {}): Viewer => ({
  tenantId: TENANT,
  deploymentId: DEPLOYMENT,
  userId,
  isAdmin: false,
  held: { itemIds: [], ranks: [] },
  heldOnAll: nothing,
  ...more,
});
const holding = (id: number, level: 'read' | 'edit' | 'manage'): Viewer =>
  viewer(READER, { held: { itemIds: [id], ranks: [rankOf(level)] } });

describe('rights on content', () => {
  const items = new ItemsRepository();
  const rights = new ContentRights({ subscribe: () => () => undefined } as never, items, { credentialCacheMs: 0 });
  let database: Database;
  let drop: () => Promise<void>;
  let folder: number, inner: number, workbook: number, report: number, aside: number;

  beforeAll(async () => {
    ({ database, drop } = await createTestDatabase(workspaceSchema));
    folder = await insert('FOLDER', []);
    inner = await insert('FOLDER', [folder]);
    workbook = await insert('WORKBOOK', [folder, inner]);
    report = await insert('REPORT', [folder, inner, workbook]);
    aside = await insert('REPORT', []);
  });
  afterAll(() => drop());

  const insert = (type: ItemType, path: number[]): Promise<number> =>
    database.transaction(TENANT, async (tx) => {
      const item = { tenantId: TENANT, deploymentId: DEPLOYMENT, type, name: type, ownerId: OWNER };
      return (await items.insert(tx, { ...item, parentId: path.at(-1) ?? null, path })).id;
    });
  const ranks = (who: Viewer, where?: Whereabouts): Promise<Record<number, number>> =>
    database.transaction(TENANT, async (tx) => {
      const { with: first, rank, visible, values } = rightsOf(who, where);
      const rows = await managerFor(tx).query<{ id: number; rank: number }[]>(
        `${first} select i.id, ${rank} as rank from item i where i.deployment_id = $1 and ${visible}`,
        values,
      );
      return Object.fromEntries(rows.map(({ id, rank: held }) => [id, held]));
    });
  /** A list of what lies in folders finds its rights in another way, and has to say the same of all but the report of a workbook. */
  const shown = async (who: Viewer): Promise<Record<number, number>> => {
    const all = await ranks(who);
    const listed = await ranks(who, 'in folders');
    expect({ ...listed, [report]: 0 }).toEqual({ ...all, [report]: 0 });
    return all;
  };
  const require = (who: Viewer, type: ItemType, id: number, level: 'read' | 'edit' | 'manage') =>
    database.transaction(TENANT, (tx) => rights.require(tx, who, { type, id }, level));

  it('are none without a policy: nothing is shown, and what is asked for is not there', async () => {
    expect(await shown(viewer(READER))).toEqual({});
    await expect(require(viewer(READER), 'WORKBOOK', workbook, 'read')).rejects.toMatchObject({ status: 404 });
  });

  it('end at the deployment, whoever asks', async () => {
    const elsewhere = viewer(OWNER, { deploymentId: DEPLOYMENT + 1, isAdmin: true });
    expect(await shown(elsewhere)).toEqual({});
    await expect(require(elsewhere, 'FOLDER', folder, 'read')).rejects.toMatchObject({ status: 404 });
  });

  it('do not reach a thing of another kind with the same id', async () => {
    await expect(require(viewer(OWNER), 'REPORT', workbook, 'read')).rejects.toMatchObject({ status: 404 });
  });

  it('of a lower level than is asked for: 403', async () => {
    await expect(require(holding(workbook, 'edit'), 'WORKBOOK', workbook, 'manage')).rejects.toMatchObject({
      status: 403,
    });
  });

  it('on a folder hold for everything beneath, and show the way to it', async () => {
    expect(await shown(holding(inner, 'edit'))).toEqual({ [folder]: 0, [inner]: 2, [workbook]: 2, [report]: 2 });
  });

  it('on a folder that is only on the way allow nothing there', async () => {
    await expect(require(holding(workbook, 'manage'), 'FOLDER', inner, 'read')).rejects.toMatchObject({ status: 403 });
  });

  it('on a workbook hold for its reports', async () => {
    expect(await shown(holding(workbook, 'read'))).toEqual({ [folder]: 0, [inner]: 0, [workbook]: 1, [report]: 1 });
  });

  it('on all of a kind hold for each, and for what lies in them', async () => {
    expect(await shown(viewer(READER, { heldOnAll: { ...nothing, REPORT: 1 } }))).toEqual({
      [folder]: 0,
      [inner]: 0,
      [report]: 1,
      [aside]: 1,
    });
    expect(await shown(viewer(READER, { heldOnAll: { ...nothing, WORKBOOK: 2 } }))).toMatchObject({ [report]: 2 });
  });

  it('are all of them for the owner and for administrators', async () => {
    const everything = { [folder]: 3, [inner]: 3, [workbook]: 3, [report]: 3, [aside]: 3 };
    expect(await shown(viewer(OWNER))).toEqual(everything);
    expect(await shown(viewer(null, { isAdmin: systemPrincipal(TENANT).isAdmin }))).toEqual(everything);
  });
});
