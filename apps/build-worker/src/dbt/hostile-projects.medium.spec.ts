import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dbtCommand, deadlineMs, gitIn, type UpstreamRepository } from '@plinth/testing';
import { DbtSyncs, shopProject } from '../testing/dbt-syncs';
import { startFixture, type Fixture } from '../testing/fixture';
import { standInDbt } from '../testing/stand-in-dbt';

const command = dbtCommand();
const PASSWORD = 'the-password-of-the-warehouse';
/** Enough for a program to begin, and no more, since a processor burns for all of it. */
const LIMIT_S = Math.ceil(deadlineMs(2_000) / 1_000);
const CANARY = 'canary-of-this-machine';
let folder: string;
let platform: Fixture;
const syncs = new DbtSyncs(
  () => platform,
  () => folder,
);
/** A line of dbt's log. */
const BEGUN = JSON.stringify({ info: { name: 'MainReportVersion', level: 'info', msg: 'dbt is here' } });
const project = shopProject['dbt_project.yml'] ?? '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-dbt-'));
  writeFileSync(join(folder, 'canary.sql'), `select '${CANARY}' as id`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('with a dbt that never ends', () => {
  beforeAll(async () => {
    const endless = standInDbt(join(folder, 'dbt'), [`sys.stderr.write('${BEGUN}\\n')`, 'while True: pass']);
    platform = await startFixture(['worker-1'], {
      PLINTH_DBT_COMMAND: endless,
      PLINTH_DBT_TIMEOUT_MS: String(1_000 * LIMIT_S),
    });
  });
  afterAll(() => platform?.stop());

  it.each<[string, Record<string, string>, RegExp, string]>([
    [
      'has folders of the machine',
      { 'dbt_project.yml': `${project}macro-paths: ["/etc"]\n` },
      /leads out of the project/,
      'repo-clone',
    ],
    [
      'has a package with a secret in its address',
      {
        'packages.yml': `packages: [{ git: "https://{{ env_var('CUBEJS_DB_PASS') }}@x.example/y.git" }]`,
      },
      /is a template/,
      'dbt-deps',
    ],
    [
      'has a package by a program',
      { 'packages.yml': 'packages: [{ git: "ext::sh -c id" }]' },
      /address|protocol|git/i,
      'dbt-deps',
    ],
    ['is none', { 'dbt_project.yml': '[]' }, /does not name the project/, 'dbt-compile'],
  ])('a project that %s fails before dbt begins, and says why', async (_case, files, message, failedPhase) => {
    const place = await syncs.connected({ ...shopProject, ...files });
    const { status, error, syncJobId } = await syncs.sync(place);
    expect(status).toBe('FAILED');
    expect(error).toMatch(message);
    const { items } = await platform.call(place.admin, 'listDbtSyncs', { path: place.path });
    expect(items).toMatchObject([{ failedPhase }]);
    expect(await syncs.log(place, syncJobId)).not.toContain('dbt is here');
    expect(await syncs.branches(place)).toEqual(['main']);
  });

  it('a project ends by the limit, and leaves nothing behind', async () => {
    const place = await syncs.connected();
    const { status, error, syncJobId } = await syncs.sync(place);
    expect({ status, error }).toEqual({
      status: 'FAILED',
      error: `dbt did not read the project within ${LIMIT_S} seconds`,
    });
    expect(await syncs.log(place, syncJobId)).toContain('dbt is here');
    expect(await syncs.branches(place)).toEqual(['main']);
    const repository = await platform.repositoryOf(place.admin, place.path.deploymentId);
    expect(readdirSync(repository.directory).filter((name) => name.startsWith('incoming-'))).toEqual([]);
  });
});

/** What programs and modules of a project would leave. */
const pwned = (): string => join(folder, 'pwned');

/** Reaches for all that is not its own, in each of the ways that there are. */
function hostileProject(shared: string): Record<string, string> {
  const variables = ['CUBEJS_DB_PASS', 'PICKED', 'OTHER', 'PLINTH_DATABASE_URL', 'HOME', 'PATH', 'FROM_ENV'];
  const seen = variables.map((name) => `${name}={{ env_var('${name}', 'nothing') }}`).join(' ');
  const query = `run_query("select * from read_text('${join(folder, 'canary.sql')}')")`;
  const program = `open(${JSON.stringify(pwned())}, 'w').write('x')`;
  return {
    ...shopProject,
    'models/schema.yml': `models: [{ name: orders, description: ${JSON.stringify(seen)} }]`,
    'models/orders.sql': 'select {{ shared.one() }} as id, {{ inner.two() }} as b {{ peek() }}',
    'macros/peek.sql': `{% macro peek() %}{% set rows = ${query} %}{{ rows }}{% endmacro %}`,
    'packages.yml': `packages:\n  - local: inner\n  - git: "file://${shared}"\n    revision: main\n`,
    'inner/dbt_project.yml': 'name: inner\nversion: "1.0"\n',
    'inner/macros/two.sql': '{% macro two() %}2{% endmacro %}',
    '.env': `FROM_ENV=loaded\nGIT_SSH_COMMAND=touch ${pwned()}`,
    'dbt_evil.py': program,
    'sitecustomize.py': program,
  };
}

function addLink(upstream: UpstreamRepository, path: string, target: string): void {
  const { directory } = upstream;
  const head = upstream.head('main') ?? '';
  const oid = gitIn(directory, ['hash-object', '-w', '--stdin'], target);
  gitIn(
    directory,
    ['fast-import', '--quiet', '--date-format=now', '--force'],
    `commit refs/heads/main\ncommitter G <g@example.com> now\ndata 1\nx\nfrom ${head}\nM 120000 ${oid} ${path}\n\n`,
  );
}

(command === undefined ? describe.skip : describe)('a project that dbt reads', () => {
  let log: string;
  /** Everything that its run has left for people to read. */
  let left: string;

  beforeAll(async () => {
    platform = await startFixture(
      ['worker-1'],
      { PLINTH_DBT_COMMAND: command ?? '', PLINTH_DBT_TIMEOUT_MS: String(deadlineMs(60_000)) },
      undefined,
      { CUBEJS_DB_TYPE: 'postgres', CUBEJS_DB_PASS: PASSWORD, PICKED: 'picked-value', OTHER: 'other-value' },
    );
    const { upstream: shared } = await syncs.connected({
      'dbt_project.yml': 'name: shared\nversion: "1.0"\n',
      'macros/one.sql': '{% macro one() %}1{% endmacro %}',
    });
    const options = { variables: ['PICKED'], adapter: 'duckdb' };
    const place = await syncs.connected(hostileProject(shared.directory), options);
    addLink(place.upstream, 'models/link.sql', join(folder, 'canary.sql'));
    const { status, error, syncJobId } = await syncs.sync(place, { output: 'files' });
    expect({ status, error }).toEqual({ status: 'COMPLETED', error: null });
    const path = { ...place.path, syncJobId };
    const files = await platform.call(place.admin, 'getDbtSyncGeneratedFiles', { path });
    const { items } = await platform.call(place.admin, 'listDbtSyncs', { path: place.path });
    log = await syncs.log(place, syncJobId);
    left = JSON.stringify([files, items, log, platform.logged()]);
  }, deadlineMs(120_000));
  afterAll(() => platform?.stop());

  it('reads no secret, and only the variables that were picked', () => {
    expect(left).toContain('CUBEJS_DB_PASS=[ENCRYPTED] PICKED=picked-value OTHER=nothing PLINTH_DATABASE_URL=nothing');
    expect(left).not.toContain(PASSWORD);
  });

  it('runs no query, and reads no file by one', () => {
    expect(left).not.toContain(CANARY);
  });

  it('has no links, wherever they lead', () => {
    expect(left).toMatch(/1 symbolic links are left out/);
    expect(left).not.toContain(CANARY);
    expect(left).not.toContain('link.yml');
  });

  it('is not led by a .env of its own, nor by modules of its own', () => {
    expect(left).toContain('FROM_ENV=nothing');
    expect(existsSync(pwned())).toBe(false);
  });

  it('uses packages of the project and of public repositories', () => {
    expect(log).toMatch(/Package inner[^]*Package shared/);
  });
});
