import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sampleProject, until } from '@plinth/testing';
import type { ApiClient } from './harness/api-client';
import { CubeClient } from './harness/cube-client';
import { createDeployment } from './harness/story';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

const cube = (name: string) => `cubes:\n  - name: ${name}\n    sql_table: ${name}\n`;

describe.each(onNats)('the public command-line client: %s', (_name, start) => {
  let topology: Topology;
  let api: ApiClient;
  let folder: string;
  let deploymentId: number;
  let client: CubeClient;
  const key = (): string => api.credential.replace('Bearer ', '');

  beforeAll(async () => {
    topology = await start();
    api = topology.admin;
  });
  afterAll(() => topology?.stop());
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plinth-project-'));
    ({ id: deploymentId } = await createDeployment(api));
    client = new CubeClient(api.baseUrl, key(), deploymentId);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  const writeProject = () => sampleProject().forEach(({ path, content }) => write(path, content));
  const stored = async (branchName?: string) =>
    Object.keys(await api.call('fileHashes', { path: { deploymentId }, ...(branchName && { query: { branchName } }) }));
  const uploads = () => client.requests.filter((each) => each.includes('/upload/file')).length;
  /** Deploys and answers how many files were sent. */
  const deploy = async (options = {}): Promise<number> => {
    const before = uploads();
    await client.deploy(folder, options);
    return uploads() - before;
  };
  const buildStatus = () => client.json('GET', `/api/v1/deployments/${deploymentId}/build-status`);
  const buildEnd = () =>
    until('the build', buildStatus, (reply) => ['built', 'failed'].includes((reply as { status: string }).status));

  describe('deploys', () => {
    it('a project for the first time: every file that it lists, and one build of them', async () => {
      writeProject();
      write('model/views/größe & co.yml', '');
      write('.gitignore', 'node_modules\n');
      write('.env', 'SECRET=1');
      write('node_modules/x/index.js', '');
      write('dashboard-app/index.html', '');
      symlinkSync(join(folder, 'cube.js'), join(folder, 'linked.js'));
      const listed = [
        ...sampleProject().map(({ path }) => path),
        ...['model/views/größe & co.yml', '.gitignore', 'linked.js'],
      ];
      expect(await deploy({ message: 'First' })).toBe(listed.length);
      expect((await stored()).sort()).toEqual(listed.sort());
      expect(await buildEnd()).toMatchObject({ status: 'built', branchName: 'main', errorText: null });
    });

    it('an unchanged project without sending a file', async () => {
      writeProject();
      await deploy();
      const before = client.requests.length;
      expect(await deploy()).toBe(0);
      expect(client.requests.slice(before).map((each) => each.replace(/.*data-model/, ''))).toEqual([
        ...['/file-hashes', '/upload/start', '/upload/finish'],
      ]);
      expect(await buildEnd()).toMatchObject({ status: 'built' });
    });

    it('changed and deleted files, and keeps the deleted ones when told to', async () => {
      write('a.yml', cube('a'));
      write('b.yml', cube('b'));
      await deploy();
      rmSync(join(folder, 'b.yml'));
      write('c.yml', cube('c'));
      expect(await deploy({ keepMissing: true })).toBe(1);
      expect((await stored()).sort()).toEqual(['a.yml', 'b.yml', 'c.yml']);
      write('a.yml', cube('a2'));
      expect(await deploy()).toBe(1);
      expect((await stored()).sort()).toEqual(['a.yml', 'c.yml']);
    });

    it('to the branch that is named, and to that of dev mode when none is', async () => {
      write('a.yml', cube('a'));
      await client.command('POST', '/branches', { name: 'feature', enterDevMode: false });
      await deploy({ branch: 'feature' });
      expect(await stored('feature')).toEqual(['a.yml']);
      const { branchName } = (await client.command('POST', '/dev-mode', { branchName: 'feature' })) as {
        branchName: string;
      };
      write('a.yml', cube('dev'));
      await deploy();
      expect(await stored(branchName)).toEqual(['a.yml']);
      await client.command('DELETE', '/dev-mode');
      expect(await stored()).not.toContain('a.yml');
    });

    it('a file of 20 MiB, and is told clearly when it may not deploy', async () => {
      write('large.json', 'x'.repeat(20 * 2 ** 20));
      expect(await deploy()).toBe(1);
      const stranger = new CubeClient(api.baseUrl, 'sk-unknown', deploymentId);
      await expect(stranger.deploy(folder)).rejects.toThrow(/^401: The credential is unknown/);
      const lost = new CubeClient(api.baseUrl, key(), 999_999);
      await expect(lost.deploy(folder)).rejects.toThrow(/^404: /);
    });
  });

  it('takes a change through dev mode, commit, pull, merge and the deploy branch', async () => {
    const put = (path: string, content: string) =>
      client.command('PUT', '/data-model/files', { files: [{ path, content }] });
    const tree = async (query = '') =>
      JSON.stringify(((await client.command('GET', `/data-model/files${query}`)) as { items: unknown }).items);
    const opened = (await client.command('POST', '/branches', { name: 'team/sales', enterDevMode: true })) as {
      branchName: string;
    };
    expect(opened.branchName).toMatch(/^dev-/);
    await put('model/orders.yml', cube('orders'));
    await put('model/old.yml', cube('old'));
    await client.command('POST', '/data-model/files/rename', {
      files: [{ path: 'model/old.yml', newPath: 'model/new.yml' }],
    });
    await client.command('DELETE', '/data-model/files', { files: [{ path: 'model/new.yml' }] });
    expect(await tree('?withContent=true')).toContain('name: orders');
    expect(await client.command('GET', '/data-model/validate?devMode=true')).toMatchObject({
      valid: true,
      branchName: opened.branchName,
    });
    await client.command('POST', '/commit', { message: 'Add orders' });
    await client.command('POST', '/pull');
    await client.command('PUT', '/branches/staging-environment', { branchName: 'team/sales', enabled: true });
    expect(await client.command('GET', '/branches')).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ name: 'team/sales', parentBranch: 'main', isStagingEnvironmentEnabled: true }),
      ]),
    });
    await client.command('PUT', '/branches/staging-environment', { branchName: 'team/sales', enabled: false });
    await put('model/customers.yml', cube('customers'));
    const flags = { squashCommits: true, switchToParentBranch: true, deleteBranch: true };
    expect(await client.command('POST', '/merge', flags)).toEqual({ merged: true, branchDeleted: true });
    await client.command('DELETE', '/dev-mode');
    const merge = { branchName: 'team/sales', removeBranchAfterMerge: false, message: 'Ship' };
    expect(await client.command('POST', '/merge-to-default', merge)).toEqual({ merged: true, branchDeleted: false });
    await client.command('DELETE', '/branches?branchName=team%2Fsales&removeOnUpstream=true');
    expect(await buildEnd()).toMatchObject({ status: 'built', branchName: 'main' });
    expect(await tree()).toMatch(/customers\.yml.*orders\.yml/);
    await expect(put('model/late.yml', '')).rejects.toThrow(/^400: .*is not a dev-mode branch/);
  });

  it('keeps workbooks and publishes their dashboards', async () => {
    const base = `/api/v1/deployments/${deploymentId}/workbooks`;
    const send = (method: string, path = '', body?: object) =>
      client.json(method, base + path, body as Record<string, unknown>) as Promise<Record<string, unknown>>;
    const draft = { widgets: [{ id: 'a', type: 'AI', position: { x: 0, y: 0, w: 4, h: 2 } }] };
    const { id } = await send('POST', '', { name: 'Sales' });
    expect(await send('GET', '?first=10')).toMatchObject({ items: [{ id, name: 'Sales', folderId: null }] });
    expect(await send('GET', `/${id}`)).toMatchObject({ id, name: 'Sales' });
    await send('PUT', `/${id}`, { name: 'Revenue', slug: 'Revenue', folderId: null });
    expect(await send('PUT', '/by-slug/REVENUE', { meta: { a: 1 } })).toMatchObject({
      id,
      name: 'Revenue',
      slug: 'revenue',
    });
    await expect(send('POST', `/${id}/publish`, { workbookId: id })).rejects.toThrow(/^400: /);
    await send('PUT', `/${id}/dashboard`, { dashboardDraft: draft });
    expect(await send('POST', `/${id}/publish`, { workbookId: id })).toMatchObject({ versionNumber: 1, config: draft });
    const thread = { threadId: 't', widgetId: 'a' };
    expect(await send('POST', `/${id}/dashboard/ai-widget-thread`, thread)).toMatchObject({
      config: { widgets: [{ config: { threadId: 't' } }] },
    });
    const copy = await send('POST', `/${id}/duplicate`);
    expect(copy).toMatchObject({ name: 'Copy of Revenue', publishedDashboard: { versionNumber: 1 } });
    await expect(send('POST', `/${id}/duplicate`, { shared: true })).rejects.toThrow(/^403: /);
    await send('DELETE', `/${id}`);
    await expect(send('GET', `/${id}`)).rejects.toThrow(/^404: /);
    const page = (megabytes: number) => ({ dashboardDraft: { app: { html: 'x'.repeat(megabytes * 2 ** 20) } } });
    await send('PUT', `/${copy['id'] as number}/dashboard`, page(9));
    await expect(send('PUT', `/${copy['id'] as number}/dashboard`, page(10))).rejects.toThrow(/^413: /);
  });
});
