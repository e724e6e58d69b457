import type { ApiClient } from './harness/api-client';
import { createDeployment, uniqueName } from './harness/story';
import { onNats } from './harness/topologies';

const chart = (reportId: number) => ({
  ...{ id: 'by-status', type: 'CHART' as const, config: { reportId } },
  position: { x: 0, y: 0, w: 6, h: 4 },
});

describe.each(onNats)('content as files: %s', (_name, start) => {
  let admin: ApiClient;

  beforeAll(async () => {
    ({ admin } = await start());
  });

  const newDeployment = async () => ({ deploymentId: (await createDeployment(admin, uniqueName('Files'))).id });
  const exported = async ({ deploymentId }: { deploymentId: number }): Promise<Buffer> => {
    const address = `${admin.baseUrl}/api/v1/deployments/${deploymentId}/workspace/export`;
    const reply = await fetch(address, { headers: { authorization: admin.credential } });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/x-tar']);
    return Buffer.from(await reply.arrayBuffer());
  };

  it('go to a second deployment and come back from it in the same bytes', async () => {
    const path = await newDeployment();
    const { id: folderId } = await admin.call('createFolder', { path, body: { name: 'Sales' } });
    const workbook = await admin.call('createWorkbook', { path, body: { name: 'Orders', folderId } });
    const workbookPath = { ...path, workbookId: workbook.id };
    const body = { workbookId: workbook.id, jsonQuery: '{"measures":["orders.count"]}' };
    const { id: reportId } = await admin.call('createReport', { path, body });
    const published = { workbookId: workbook.id, config: { widgets: [chart(reportId)] } };
    await admin.call('publishDashboard', { path: workbookPath, body: published });
    const file = await exported(path);
    const unchanged = await admin.call('importWorkspace', { path, query: { prune: true }, file });
    expect(unchanged).toEqual({ applied: true, changes: [] });

    const second = await newDeployment();
    const taken = await admin.refusal('importWorkspace', { path: second, file });
    expect(taken).toMatchObject({ status: 409, code: 'import.conflict' });
    await admin.call('deleteReport', { path: { ...path, reportId } });
    const planned = await admin.call('importWorkspace', { path: second, query: { dryRun: true }, file });
    expect(planned.changes.map(({ type }) => type)).toEqual(['FOLDER', 'WORKBOOK', 'REPORT']);
    expect((await exported(second)).equals(file)).toBe(false);
    await admin.call('importWorkspace', { path: second, file });
    expect((await exported(second)).equals(file)).toBe(true);
  });

  it('are refused above the limit, and when there are none', async () => {
    const path = await newDeployment();
    const large = await admin.refusal('importWorkspace', { path, file: Buffer.alloc(11 << 20) });
    expect(large).toMatchObject({ status: 413, code: 'request.too_large' });
    expect(await admin.refusal('importWorkspace', { path, file: '' })).toMatchObject({ code: 'import.invalid' });
  });
});
