// (f) Provisioning by SCIM in a tenant of 100,000 users with a group of 20,000; --quick takes a twentieth of that.
import { percentile } from './client.mjs';
import { growthDuring } from './memory.mjs';
import { processIdOf, startPlatform, startPostgres, temporaryFolder } from './processes.mjs';
import { memberOperation, ScimClient } from './scim-client.mjs';
import { ScimData } from './scim-data.mjs';
import { mixedLoad } from './scim-load.mjs';

const isQuick = process.argv.includes('--quick');
const sizes = isQuick
  ? { users: 5_000, largeGroup: 1_000, smallGroup: 100, seconds: 5 }
  : { users: 100_000, largeGroup: 20_000, smallGroup: 100, seconds: 60 };
const page = 100;

export async function benchScim() {
  const databaseUrl = await startPostgres();
  const url = await startPlatform(databaseUrl, temporaryFolder('storage'));
  const data = new ScimData(databaseUrl);
  try {
    return await measured(await ScimClient.connect(url), data);
  } finally {
    await data.close();
  }
}

/** A row for each figure; an answer that is wrong or refused ends the bench. */
async function measured(client, data) {
  await data.fill(sizes);
  const groups = { large: await data.groupId('Large'), small: await data.groupId('Small') };
  const context = { client, data, groups };
  const rows = [];
  for (const measure of [lookUps, pages, memberships, groupReads, wholeGroup, filters, load]) {
    rows.push(...(await measure(context)));
  }
  return rows;
}

const row = (line, what, goal, figure) => ({ line, what, goal, figure });
const milliseconds = (value) => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
const p95 = (times) => milliseconds(percentile(times, 0.95));

function require(holds, message) {
  if (!holds) throw new Error(message);
}

/** Times of `count` answers in a row, after a few that are not counted. */
async function repeated(count, ask) {
  const times = [];
  for (let round = -3; round < count; round += 1) {
    const { ms } = await ask(Math.abs(round));
    if (round >= 0) times.push(ms);
  }
  return times;
}

async function lookUps({ client }) {
  const someone = (round) => 1 + ((round * 7_919) % sizes.users);
  const filters = {
    'userName eq': ['/Users', (n) => `userName eq "PERSON.${n}@crowd.test"`],
    'externalId eq': ['/Users', (n) => `externalId eq "ext-${n}"`],
    'emails[type eq "work"].value eq': ['/Users', (n) => `emails[type eq "work"].value eq "person.${n}@crowd.test"`],
    'userName eq, nobody': ['/Users', (n) => `userName eq "nobody-${n}"`, 0],
    'groups: displayName eq': ['/Groups', (n) => `displayName eq "group ${1 + (n % 500)}"`],
  };
  const rows = [];
  for (const [name, [path, filterOf, expected = 1]] of Object.entries(filters)) {
    const times = await repeated(200, async (round) => {
      const query = { filter: filterOf(someone(round)), startIndex: 1, count: page, excludedAttributes: 'members' };
      const { ms, totalResults } = await client.list(path, query);
      require(totalResults === expected, `${query.filter} found ${totalResults}`);
      return { ms };
    });
    rows.push(row(97, `${name}, p95`, '50 ms', p95(times)));
  }
  return rows;
}

async function pages({ client, data }) {
  const total = await data.countUsers();
  const last = sizes.users - page + 1;
  const rows = [];
  for (const startIndex of [1, Math.ceil(last / 2), last]) {
    const times = await repeated(20, async () => {
      const { ms, totalResults, Resources } = await client.list('/Users', { startIndex, count: page });
      require(totalResults === total, `the list is of ${totalResults} users instead of ${total}`);
      require(Resources.length === page, `the page at ${startIndex} has ${Resources.length} users`);
      return { ms };
    });
    rows.push(row(98, `users, startIndex=${startIndex}&count=${page}, p95`, '200 ms', p95(times)));
  }
  return rows;
}

async function memberships({ client, data, groups }) {
  const strangers = await data.userIds(sizes.largeGroup + 10, 1_000);
  const times = { large: [], small: [] };
  const change = async (size, op, ...ids) => {
    const { status, ms, text } = await client.patch(`/Groups/${groups[size]}`, memberOperation(op, ...ids));
    require(status === 204, `a change of members answered ${status}: ${text}`);
    return ms;
  };
  for (let round = 0; round < 100; round += 1) {
    for (const size of ['large', 'small']) {
      for (const op of ['add', 'remove']) times[size].push(await change(size, op, strangers[round]));
    }
  }
  const thousand = await change('large', 'add', ...strangers);
  require((await data.countMembers(groups.large)) === sizes.largeGroup + 1_000, 'not everybody was added');
  await change('large', 'remove', ...strangers);
  require((await data.countMembers(groups.large)) === sizes.largeGroup, 'not everybody was removed');
  const ratio = percentile(times.large, 0.5) / percentile(times.small, 0.5);
  return [
    row(99, `one member of ${sizes.largeGroup}, p95`, '50 ms', p95(times.large)),
    row(99, `one member of ${sizes.smallGroup}, p95`, '', p95(times.small)),
    row(99, 'large of small, p50', '1.5', ratio.toFixed(2)),
    row(99, 'add 1,000 at once', '1 s', milliseconds(thousand)),
  ];
}

async function groupReads({ client, groups }) {
  const pids = [processIdOf('dist/apps/platform/src/platform-process.js')];
  const reads = {
    [`GET a group of ${sizes.largeGroup}`]: {
      goal: '2 s',
      read: () => client.list(`/Groups/${groups.large}`, {}),
      holds: ({ members }) => members.length === sizes.largeGroup,
    },
    'GET it without members': {
      goal: '',
      read: () => client.list(`/Groups/${groups.large}`, { excludedAttributes: 'members' }),
      holds: ({ members }) => members === undefined,
    },
    'groups, excludedAttributes=members': {
      goal: '200 ms',
      read: () => client.list('/Groups', { excludedAttributes: 'members' }),
      holds: ({ Resources }) => Resources.length === page && Resources.every(({ members }) => !members),
    },
    'groups with members': {
      goal: '',
      read: () => client.list('/Groups', {}),
      holds: ({ Resources }) => Resources.length > 0 && Resources.every(({ members }) => members),
    },
  };
  const rows = [];
  for (const [name, { goal, read, holds }] of Object.entries(reads)) {
    const answers = [];
    const { growth } = await growthDuring(pids, async () => {
      for (let round = 0; round < 5; round += 1) answers.push(await read());
    });
    require(answers.every(holds), `${name} answered something else`);
    const slowest = Math.max(...answers.map(({ ms }) => ms));
    const size = `${(answers[0].bytes / 2 ** 20).toFixed(1)} MiB`;
    rows.push(
      row(100, `${name}, slowest of 5 (${size}; memory +${growth[0].toFixed(0)} MiB)`, goal, milliseconds(slowest)),
    );
  }
  return rows;
}

/** A PUT of everybody as a client writes them; the addresses of members are what makes it large. */
async function wholeGroup({ client, data, groups }) {
  const ids = await data.userIds(0, sizes.largeGroup);
  const members = ids.map((value) => ({
    value: String(value),
    $ref: `https://tenant.example.test/api/scim/v2/Users/${value}`.padEnd(160, '-'),
    display: `Given${value} Family${value} with a name of a usual length`,
    type: 'User',
  }));
  const body = JSON.stringify({ displayName: 'Large', members });
  const query = { excludedAttributes: 'members' };
  const { ms } = await client.expect(200, 'PUT', `/Groups/${groups.large}`, { query, body });
  require((await data.countMembers(groups.large)) === sizes.largeGroup, 'the group has not the members that were put');
  const other = members.slice(sizes.largeGroup / 2);
  const half = JSON.stringify({ displayName: 'Large', members: other });
  const replaced = await client.expect(200, 'PUT', `/Groups/${groups.large}`, { query, body: half });
  const refilled = await client.expect(200, 'PUT', `/Groups/${groups.large}`, { query, body });
  require((await data.countMembers(groups.large)) === sizes.largeGroup, 'the group was not filled again');
  const size = `${(body.length / 1e6).toFixed(1)} MB`;
  return [
    row(103, `PUT ${sizes.largeGroup} members (${size}) that are there`, '200', `200, ${milliseconds(ms)}`),
    row(103, 'PUT half of them', '200', `200, ${milliseconds(replaced.ms)}`),
    row(103, 'PUT all again', '200', `200, ${milliseconds(refilled.ms)}`),
  ];
}

async function filters({ client }) {
  const pair = (n) => `(userName eq "a${n}" or externalId eq "b${n}")`;
  const cases = {
    '5,000 characters': [400, `userName eq "${'a'.repeat(5_000)}"`],
    '4,000 characters': [200, `userName eq "${'a'.repeat(4_000)}"`],
    '10,000 parentheses': [400, `${'('.repeat(5_000)}active eq true${')'.repeat(5_000)}`],
    '4,000 parentheses': [400, `${'('.repeat(2_000)}active eq true${')'.repeat(2_000)}`],
    '20 pairs of (a or b)': [200, Array.from({ length: 20 }, (_each, n) => pair(n)).join(' and ')],
  };
  const rows = [];
  for (const [name, [status, filter]] of Object.entries(cases)) {
    const times = await repeated(10, () => client.expect(status, 'POST', '/Users/.search', { body: { filter } }));
    rows.push(row(105, `${name}, slowest of 10`, '100 ms', `${status}, ${milliseconds(Math.max(...times))}`));
  }
  return rows;
}

async function load({ client, data, groups }) {
  const { times, created, seconds } = await mixedLoad({ client, data, groups, seconds: sizes.seconds });
  const rate = Math.round(times.mixed.length / seconds);
  return [
    row(101, `${rate} requests/s mixed for ${sizes.seconds} s, p95`, '500 ms', p95(times.mixed)),
    row(101, `${created} POST and PATCH by 10 clients meanwhile, p95`, '500 ms', p95(times.writers)),
  ];
}
