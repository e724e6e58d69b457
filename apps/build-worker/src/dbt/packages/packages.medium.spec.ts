import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { startGitHttpServer, UpstreamRepository, type GitHttpServer } from '@plinth/testing';
import { pack } from 'tar-stream';
import { DbtSyncs, shopProject, type Place } from '../../testing/dbt-syncs';
import { startFixture, type Fixture } from '../../testing/fixture';
import { READS_ANYTHING, standInDbt } from '../../testing/stand-in-dbt';

const TOKEN = 'token-of-the-company';
/** Tells what it sees of packages. */
const TELLS_PACKAGES = [
  "packages = os.path.join(args[args.index('--project-dir') + 1], 'dbt_packages')",
  'files = sorted(os.path.relpath(os.path.join(at, name), packages) for at, _, names in os.walk(packages) for name in names)',
  'sys.stderr.write(\'{"info":{"name":"MainReportVersion","level":"info","msg":"Sees %s"}}\\n\' % \' \'.join(files))',
];
let folder: string;
let platform: Fixture;
let registry: Server;
let company: GitHttpServer;
let stranger: GitHttpServer;
/** What strangers were told of credentials. */
let heard: (string | undefined)[];
const syncs = new DbtSyncs(
  () => platform,
  () => folder,
);

/** A package with a macro that is named for it. */
const packageCalled = (name: string): Record<string, string> => ({
  'dbt_project.yml': `name: ${name}\nversion: "1.0"\nmacro-paths: [macros]\n`,
  [`macros/${name}.sql`]: `{% macro name_of() %}'${name}'{% endmacro %}`,
});

async function archive(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of Object.entries(files)) tar.entry({ name: `x-1/${name}` }, content);
  tar.finalize();
  return gzipSync(await buffer(tar));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-dbt-'));
  const bytes = await archive(packageCalled('utils'));
  registry = createServer((request, response) => {
    const tarball = `http://${request.headers.host}/utils.tar.gz`;
    if (request.url === '/api/v1/acme/utils/1.1.1.json') response.end(JSON.stringify({ downloads: { tarball } }));
    else response.end(bytes);
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  const credentials = { username: 'git', password: TOKEN };
  company = await startGitHttpServer({ repositories: folder, credentials });
  stranger = await startGitHttpServer({
    repositories: folder,
    intercept: (request, response) => {
      heard.push(request.headers.authorization);
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return true;
    },
  });
  platform = await startFixture(['worker-1'], {
    PLINTH_DBT_COMMAND: standInDbt(join(folder, 'dbt'), [...TELLS_PACKAGES, ...READS_ANYTHING]),
    PLINTH_DBT_HUB_URL: `http://127.0.0.1:${(registry.address() as AddressInfo).port}`,
  });
});
beforeEach(() => {
  heard = [];
});
afterAll(async () => {
  await platform?.stop();
  await company?.stop();
  await stranger?.stop();
  registry?.close();
  registry?.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

let serial = 0;
/** A private repository of the company; its address. */
function repository(files: Readonly<Record<string, string>>): string {
  const name = `company-${++serial}`;
  new UpstreamRepository(folder, name).commit('main', files);
  return `${company.url}/${name}.git`;
}

/** A project of the company with these packages. */
async function connected(packages: string): Promise<Place> {
  const { admin, path } = platform.newDeployment();
  const url = repository({ ...shopProject, 'packages.yml': packages });
  await platform.call(admin, 'putDbtSource', { path, body: { url, token: TOKEN } });
  return { admin, path };
}

describe('packages of a dbt project', () => {
  it('of another server never get the token of the project', async () => {
    const place = await connected(`packages: [{ git: "${stranger.url}/x.git" }]`);
    const { status, error } = await syncs.sync(place);
    expect(status).toBe('FAILED');
    expect(error).toMatch(/credentials|authentic/i);
    expect(heard.length).toBeGreaterThan(0);
    expect(heard.filter((header) => header !== undefined)).toEqual([]);
  });

  it('that lead out of the project are refused, whatever projects of their own tests do', async () => {
    const leading = { 'dbt_project.yml': 'name: leading\nmacro-paths: ["/etc"]\n' };
    const refused = await syncs.sync(await connected(`packages: [{ git: "${repository(leading)}" }]`));
    expect(refused).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('dbt_packages/leading/dbt_project.yml: macro-paths leads out of the project'),
    });
    const tested = {
      ...packageCalled('tested'),
      'integration_tests/dbt_project.yml': 'name: t\nmodel-paths: ["../x"]\n',
    };
    const taken = await syncs.sync(await connected(`packages: [{ git: "${repository(tested)}" }]`), {
      output: 'files',
    });
    expect(taken).toMatchObject({ status: 'COMPLETED', error: null });
  });

  it('come from the registry, and with the token of the project from its own server', async () => {
    const internal = repository(packageCalled('company'));
    const packages = `packages: [{ package: acme/utils, version: 1.1.1 }, { git: "${internal}" }]`;
    const place = await connected(packages);
    const { status, error, syncJobId } = await syncs.sync(place, { output: 'files' });
    expect({ status, error }).toEqual({ status: 'COMPLETED', error: null });
    const log = await syncs.log(place, syncJobId);
    expect(log).toMatch(/dbt-deps info Package utils/);
    expect(log).toMatch(/dbt-deps info Package company/);
    const files = ['company', 'utils'].flatMap((name) => [`${name}/dbt_project.yml`, `${name}/macros/${name}.sql`]);
    expect(log).toContain(`dbt-compile info Sees ${files.join(' ')}`);
    expect(log + platform.logged()).not.toContain(TOKEN);
  });
});
