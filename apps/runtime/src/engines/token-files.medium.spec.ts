import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { until } from '@plinth/testing';
import { drivers } from '../testing/drivers';
import { replyOf, startRegistry, type RegistryFixture } from '../testing/registry-fixture';
import type { TokenFile, Wanted } from './index';

const VARIABLE = 'A_TOKEN_FILE';
const FILE = 'cube_cloud_token_a';
const never = new AbortController().signal;

/** Tokens that are told apart; `fails` makes none. */
class Mint {
  count = 0;
  fails = false;
  fileNames = [FILE];
  readonly mintTokens = async (): Promise<TokenFile[]> => {
    if (this.fails) throw new Error('nobody is there to sign');
    this.count += 1;
    return this.fileNames.map((fileName) => ({ fileName, token: this.last }));
  };

  get last(): string {
    return `opaque-token-${this.count}-of-the-deployment`;
  }
}

let fixture: RegistryFixture;
let mint: Mint;

const wantedOf = (more: Parameters<RegistryFixture['wanted']>[2] = {}): Wanted =>
  fixture.wanted(1, { answer: 'one' }, { tokenVariables: { [VARIABLE]: FILE }, mintTokens: mint.mintTokens, ...more });
const variablesOf = async (wanted: Wanted, query = {}) =>
  (await replyOf(await fixture.engines.use(wanted, never), query)).variables;
const messages = () => fixture.lines.map(({ message }) => message);
const saying = (part: string) => messages().filter((message) => message.includes(part));
/** Of all engines of this process, those of other runtimes with them. */
const tokenFolders = () =>
  readdirSync(tmpdir())
    .filter((name) => name.startsWith(`plinth-engines-${process.pid}-`))
    .flatMap((name) => readdirSync(join(tmpdir(), name)))
    .filter((name) => name.endsWith('-tokens'));

describe('the OIDC tokens of engines beside a runtime', () => {
  beforeEach(() => (mint = new Mint()));
  afterEach(() => fixture.stop());

  const start = (tokensEveryMs?: number) => {
    fixture = startRegistry(tokensEveryMs === undefined ? {} : { tokensEveryMs });
  };
  const pathOf = async (wanted: Wanted): Promise<string> => (await variablesOf(wanted))[VARIABLE] ?? '';
  const content = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

  it('that cannot be minted leave an engine without them, which says so once, and has them as soon as they can be', async () => {
    start();
    mint.fails = true;
    const path = await pathOf(wantedOf());
    expect(readdirSync(dirname(path))).toEqual([]);
    mint.fails = false;
    await until(
      'the token',
      () => content(path),
      (token) => token === mint.last,
    );
    expect(saying('could not be renewed')).toEqual([
      'The OIDC tokens could not be renewed: this is tried again until it succeeds',
    ]);
    await until(
      'the line',
      () => saying('renewed again'),
      (lines) => lines.length === 1,
    );
  });

  it('that cannot be renewed stay as they are', async () => {
    start(50);
    const path = await pathOf(wantedOf());
    mint.fails = true;
    await until(
      'a failure',
      () => saying('could not be renewed'),
      (lines) => lines.length === 1,
    );
    expect(content(path)).toBe(mint.last);
  });

  it.each([
    ['the deployment', 'A', { A: 'its own' }],
    ['the platform', 'NODE_OPTIONS', {}],
  ])('take no variable that %s sets', async (who, name, variables) => {
    start();
    const given = await variablesOf(wantedOf({ tokenVariables: { [name]: FILE }, variables }));
    expect(given).toEqual(variables);
    expect(saying(name)).toEqual([`${name} does not hold the path of ${FILE}: ${who} sets it`]);
  });

  it('are in the file that the variable names, and new ones after a while', async () => {
    start(50);
    const path = await pathOf(wantedOf());
    expect(path).toMatch(/\/cube_cloud_token_a$/);
    const first = content(path);
    expect(first).toMatch(/^opaque-token-\d+/);
    await until(
      'another token',
      () => content(path),
      (token) => token !== first,
    );
  });

  it('of configs that are off go at the next renewal, and those of new ones come', async () => {
    start(50);
    const path = await pathOf(wantedOf());
    mint.fileNames = ['cube_cloud_token_new'];
    await until(
      'the new file',
      () => readdirSync(dirname(path)),
      (names) => names.join() === 'cube_cloud_token_new',
    );
  });

  it('are not in the log, neither the latest ones nor those before', async () => {
    start(200);
    const wanted = wantedOf();
    await variablesOf(wanted);
    const first = mint.last;
    await until(
      'another token',
      () => mint.last,
      (last) => last !== first,
    );
    await variablesOf(wanted, { logs: `given ${first} and ${mint.last}` });
    await until(
      'the line',
      () => saying('given'),
      (lines) => lines.length === 1,
    );
    expect(saying('given')).toEqual(['given [HIDDEN] and [HIDDEN]']);
  });

  it.each(['stopped', 'killed'])('go with an engine that is %s, and are minted no more', async (how) => {
    start(50);
    const wanted = wantedOf();
    const path = await pathOf(wanted);
    if (how === 'killed') await variablesOf(wanted, { dies: true }).catch(() => undefined);
    else fixture.engines.retire(1);
    await until(
      'the end',
      () => existsSync(dirname(path)),
      (there) => !there,
    );
    const { count } = mint;
    const other = new Mint();
    await replyOf(await fixture.engines.use(fixture.wanted(2, {}, other), never));
    await until(
      'renewals of another engine',
      () => other.count,
      (renewed) => renewed > 3,
    );
    expect(mint.count).toBe(count);
    expect(saying('could not be renewed')).toEqual([]);
  });

  it('go with an engine that did not start', async () => {
    start();
    const before = tokenFolders();
    const wanted = fixture.wanted(1, { fails: 'no driver' }, { mintTokens: mint.mintTokens });
    await expect(fixture.ask(wanted)).rejects.toThrow('no driver');
    expect(mint.count).toBe(1);
    expect(tokenFolders().filter((name) => !before.includes(name))).toEqual([]);
  });
});

describe.each(drivers)('a variable for the path of a token, by the driver %s', (_, openDrivers) => {
  it('names a file in the folder of the tokens', async () => {
    const opened = await openDrivers();
    mint = new Mint();
    fixture = startRegistry({ driver: await opened.driver() });
    expect((await variablesOf(wantedOf()))[VARIABLE]).toMatch(/^\/.*\/cube_cloud_token_a$/);
    await fixture.stop();
    await opened.close();
  });
});
