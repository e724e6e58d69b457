// A published dashboard of the sample shop.
import { send } from './client.mjs';

const bar = {
  mark: 'bar',
  encoding: { x: { field: 'orders\\.status' }, y: { field: 'orders\\.count', type: 'quantitative' } },
};
const byStatus = { measures: ['orders.count'], dimensions: ['orders.status'] };

/** Charts, tables and numbers as wanted; resolves with the ids of dashboard and workbook. */
export async function publishDashboard(url, path, kinds, settings = {}) {
  const { id: workbookId } = await send(url, 'POST', `${path}/workbooks`, { name: 'Bench' });
  const widgets = [];
  for (const [index, kind] of kinds.entries()) {
    const query = kind === 'kpi' ? { measures: ['orders.count'] } : { ...byStatus, limit: 3 + index };
    const meta = { kind, ...(kind === 'vega' && { spec: bar }) };
    const body = { name: `Report ${index}`, workbookId, jsonQuery: JSON.stringify(query), meta };
    const { id: reportId } = await send(url, 'POST', `${path}/reports`, body);
    const position = { x: (index % 2) * 6, y: Math.floor(index / 2) * 5, w: 6, h: 5 };
    widgets.push({ id: `w${index}`, type: 'CHART', position, config: { reportId } });
  }
  const { id, publicId } = await send(url, 'POST', `${path}/workbooks/${workbookId}/publish`, {
    workbookId,
    ...settings,
    config: { title: 'Bench', widgets },
  });
  return { id, publicId, workbookId };
}
