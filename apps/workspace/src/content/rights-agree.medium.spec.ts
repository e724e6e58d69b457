import { systemPrincipal } from '@plinth/auth';
import { managerFor, type Database, type Transaction } from '@plinth/database';
import { createTestDatabase } from '@plinth/testing';
import { workspaceSchema } from '../workspace.schema';
import { itemTypes, type ItemType } from './item.entity';
import { ItemsRepository, type RankedItem } from './items.repository';
import { rightsInMemory, type SharedItem } from '../testing/rights-in-memory';
import { audience, nobody, type EmbedViewer, type Viewer } from './viewer';
import { rightsOf, type Whereabouts } from './visibility';

const TENANT = 7;
const DEPLOYMENT = 3;
const TREES = 8;
const ITEMS = 40;
const [USERS, EMBED_USERS, GROUPS, EMBED_TENANTS] = [
  [11, 12],
  [21, 22, 23],
  [31, 32],
  ['acme', 'globex'],
] as const;

/** Numbers that are the same in every run. */
function random(seed: number): <Of>(choices: readonly Of[]) => Of {
  let state = seed;
  return (choices) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return choices[Math.floor((state / 2 ** 32) * choices.length)] as never;
  };
}

type Choose = ReturnType<typeof random>;

describe('the ways to find rights on content', () => {
  const items = new ItemsRepository();
  let database: Database;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    ({ database, drop } = await createTestDatabase(workspaceSchema));
  });
  afterAll(() => drop());

  /** Folders in folders, workbooks in these, and reports in any of them; of users, of embed users, or of nobody. */
  async function plant(tx: Transaction, pick: Choose): Promise<SharedItem[]> {
    await managerFor(tx).query('delete from item');
    const tree: SharedItem[] = [];
    for (let count = 0; count < ITEMS; count += 1) {
      const type = pick(itemTypes);
      const around = tree.filter((each) => holds(each.type, type) && each.path.length < 5);
      const parent = pick([undefined, ...around]);
      const path = parent ? [...parent.path, parent.id] : [];
      const owner = pick([
        { ownerId: null, embedOwnerId: null, embedTenantName: null },
        ...USERS.map((ownerId) => ({ ownerId, embedOwnerId: null, embedTenantName: null })),
        ...EMBED_USERS.map((id, place) => ({
          ...{ ownerId: null, embedOwnerId: id, embedTenantName: EMBED_TENANTS[place % 2] ?? null },
        })),
      ]);
      const place = { tenantId: TENANT, deploymentId: DEPLOYMENT, type, name: type };
      const { id } = await items.insert(tx, { ...place, ...owner, parentId: parent?.id ?? null, path });
      tree.push({ id, type, path, ...owner, shares: await share(tx, id, owner.embedOwnerId, pick) });
    }
    return tree;
  }

  async function share(tx: Transaction, id: number, embedOwnerId: number | null, pick: Choose) {
    const shares: SharedItem['shares'] = [];
    if (pick([true, false, false, false, false])) {
      const embedTenantName = pick([null, ...EMBED_TENANTS]);
      shares.push({ embedTenantName });
      await managerFor(tx).query(
        `insert into embed_share (tenant_id, deployment_id, item_id, embed_tenant_id, embed_tenant_name)
         values ($1, $2, $3, $4, $5)`,
        [TENANT, DEPLOYMENT, id, embedTenantName && 1 + EMBED_TENANTS.indexOf(embedTenantName), embedTenantName],
      );
    }
    if (embedOwnerId !== null && pick([true, false, false])) {
      const target = pick([
        ...GROUPS.map((groupId) => ({ groupId })),
        ...EMBED_USERS.map((embedUserId) => ({ embedUserId })),
      ]);
      shares.push(target);
      const { groupId = null, embedUserId = null } = target as { groupId?: number; embedUserId?: number };
      await managerFor(tx).query(
        `insert into content_share (tenant_id, deployment_id, item_id, group_id, embed_user_id) values ($1, $2, $3, $4, $5)`,
        [TENANT, DEPLOYMENT, id, groupId, embedUserId],
      );
    }
    return shares;
  }

  function viewersOf(tree: readonly SharedItem[], pick: Choose): Record<string, Viewer> {
    const none = nobody(TENANT, DEPLOYMENT);
    const held = { itemIds: [pick(tree).id, pick(tree).id], ranks: [pick([1, 2, 3]), pick([1, 2, 3])] };
    const onAll = { FOLDER: pick([0, 0, 1]), WORKBOOK: pick([0, 1, 2]), REPORT: pick([0, 0, 3]) };
    const embedded = (place: number, shares: EmbedViewer['shares'], groupIds: readonly number[] = []): Viewer => ({
      ...none,
      embed: { userId: EMBED_USERS[place] ?? 0, tenantName: EMBED_TENANTS[place % 2] ?? null, groupIds, shares },
    });
    return {
      'an administrator': { ...none, userId: USERS[0], isAdmin: systemPrincipal(TENANT).isAdmin },
      'a user without policies': { ...none, userId: USERS[0] },
      'a user with policies': { ...none, userId: USERS[1], held },
      'a user with policies on all of a kind': { ...none, userId: USERS[1], held, heldOnAll: onAll },
      'a creator': embedded(0, 'of embed users'),
      'a creator in groups': embedded(1, 'of embed users', GROUPS),
      'an embed user': embedded(2, 'all', [GROUPS[0]]),
      'an embed user of no embed tenant': {
        ...none,
        embed: { userId: 99, tenantName: null, groupIds: [], shares: 'all' },
      },
      'all of an embed tenant': audience(TENANT, DEPLOYMENT, EMBED_TENANTS[0]),
      'all embed users': audience(TENANT, DEPLOYMENT, null),
    };
  }

  const asked = async (tx: Transaction, who: Viewer, where: Whereabouts, only = 'true') => {
    const { with: first, rank, visible, values } = rightsOf(who, where);
    const rows = await managerFor(tx).query<RankRow[]>(
      `${first} select i.id, ${rank} as rank from item i where i.deployment_id = $1 and ${visible} and ${only} order by i.id`,
      values,
    );
    return Object.fromEntries(rows.map((row) => [row.id, row.rank]));
  };

  it.each(Array.from({ length: TREES }, (_, seed) => seed + 1))(
    'say the same as the rules, for every kind of viewer (tree %i)',
    async (seed) => {
      const pick = random(seed);
      await database.transaction(TENANT, async (tx) => {
        const tree = await plant(tx, pick);
        for (const [name, who] of Object.entries(viewersOf(tree, pick))) {
          const expected = rightsInMemory(tree, who);
          const those = (chosen: (item: SharedItem) => boolean) =>
            Object.fromEntries(
              tree
                .filter(({ id }) => id in expected)
                .filter(chosen)
                .map(({ id }) => [id, expected[id]]),
            );
          const byId = new Map(tree.map((item) => [item.id, item]));
          const inWorkbook = ({ path }: SharedItem) => byId.get(path.at(-1) ?? 0)?.type === 'WORKBOOK';
          for (const where of ['anywhere', 'throughout'] as const)
            expect([name, where, await asked(tx, who, where)]).toEqual([name, where, expected]);
          const outside = `not exists (select from item p where p.id = i.parent_id and p.type = 'WORKBOOK')`;
          expect([name, await asked(tx, who, 'in folders', outside)]).toEqual([
            name,
            those((item) => !inWorkbook(item)),
          ]);
          const places = tree.filter(({ id, type }) => id in expected && type !== 'REPORT');
          for (const parent of [null, ...places.slice(0, 5)]) {
            const where = { parent: parent && ({ rank: expected[parent.id] ?? 0 } as RankedItem) };
            const only = parent ? `i.parent_id = ${parent.id}` : 'i.parent_id is null';
            const within = those(({ path }) => (path.at(-1) ?? null) === (parent?.id ?? null));
            expect([name, parent?.id, await asked(tx, who, where, only)]).toEqual([name, parent?.id, within]);
          }
        }
      });
    },
  );
});

interface RankRow {
  id: number;
  rank: number;
}

const holds = (parent: ItemType, child: ItemType): boolean =>
  parent === 'FOLDER' || (parent === 'WORKBOOK' && child === 'REPORT');
