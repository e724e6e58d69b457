import { buffer } from 'node:stream/consumers';
import { Inject, Injectable } from '@nestjs/common';
import type { ReplyOf, Schemas } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus, ByteStream } from '@plinth/messaging';
import { z } from 'zod';
import { cutRows, MOST_CHARACTERS } from '../results';
import { actingPrincipal } from './acting-principal';
import { McpDefaultsService } from './mcp-defaults.service';
import { defineTool, inputs, type Tool } from './tool';

const { deploymentId } = inputs;
const PAGE = 100;
const MOST_BYTES = 8 << 20;
const MOST_ROWS = 200;

/** Tools that read dashboards. */
@Injectable()
export class DashboardTools {
  readonly tools: readonly Tool[] = [this.listDashboards(), this.readDashboard()];

  constructor(
    @Inject(BUS) private readonly bus: Bus,
    private readonly defaults: McpDefaultsService,
  ) {}

  private listDashboards(): Tool {
    return defineTool({
      name: 'list_dashboards',
      title: 'List dashboards',
      description:
        'Lists the published dashboards that lie in a folder, and the folders in it. A search looks for names in all folders.',
      isReadOnly: true,
      input: z.strictObject({
        deploymentId,
        folderId: z.int().positive().optional().describe('Folder; the root when absent.'),
        search: z.string().max(255).optional().describe('Part of the name.'),
        after: z.string().max(1_000).optional().describe('`after` of the page before.'),
      }),
      run: async (principal, { folderId, search, after, ...named }) => {
        const { items, pageInfo } = await this.bus.call('workspaceObjects', {
          principal: actingPrincipal(principal),
          path: { deploymentId: await this.defaults.deploymentFor(principal, named.deploymentId) },
          query: {
            types: ['FOLDER', 'WORKBOOK'],
            first: PAGE,
            ...(folderId !== undefined && { folderId }),
            ...(search !== undefined && { search }),
            ...(after !== undefined && { after }),
          },
          body: undefined,
        });
        return { ...listed(items), after: pageInfo.hasNextPage ? pageInfo.endCursor : null };
      },
    });
  }

  private readDashboard(): Tool {
    return defineTool({
      name: 'read_dashboard',
      title: 'Read the data of a dashboard',
      description:
        'Runs the queries of a published dashboard and answers the first rows of each chart, with the number of all.',
      isReadOnly: true,
      input: z.strictObject({
        deploymentId,
        workbookId: z.int().positive().describe('Workbook of the dashboard, as list_dashboards has it.'),
        widgetId: z.string().min(1).max(255).optional().describe('One chart alone.'),
        limit: z.int().min(1).max(MOST_ROWS).optional().describe('Rows of each chart at most; 20 when absent.'),
      }),
      run: async (principal, { workbookId, widgetId, limit = 20, ...named }) => {
        const { stream } = await this.bus.callForStream('getDashboardData', {
          principal: actingPrincipal(principal),
          path: { deploymentId: await this.defaults.deploymentFor(principal, named.deploymentId), workbookId },
          query: {},
          body: widgetId === undefined ? {} : { widgetId },
        });
        const { widgets } = JSON.parse(await textOf(stream)) as Schemas['DashboardData'];
        return { charts: chartsOf(widgets, limit) };
      },
    });
  }
}

function listed(items: ReplyOf<'workspaceObjects'>['items']): object {
  const folders = items.filter(({ type }) => type === 'FOLDER');
  const dashboards = items.filter((item) => 'dashboardPublicId' in item && item.dashboardPublicId != null);
  return {
    folders: folders.map(({ id, name }) => ({ folderId: id, name })),
    dashboards: dashboards.map(({ id, name }) => ({ workbookId: id, name })),
  };
}

/** What is left of the bound goes to the charts that follow. */
function chartsOf(widgets: readonly Schemas['WidgetData'][], limit: number): object[] {
  let left = MOST_CHARACTERS;
  return widgets.map(({ widgetId, title, kind, data, error }) => {
    if (!data) return { widgetId, title, kind, error: error?.message ?? 'There is no data' };
    const columns = data.columns.map(({ name, title: heading, type }) => ({ name, title: heading, type }));
    const chart = { widgetId, title, kind, columns, ...cutRows(data.rows, limit, left) };
    left = Math.max(0, left - JSON.stringify(chart.rows).length);
    return chart;
  });
}

/** @throws AppError `report.result_too_large` (400) */
async function textOf(stream: ByteStream): Promise<string> {
  const bounded = async function* () {
    let length = 0;
    for await (const part of stream) {
      length += part.length;
      if (length > MOST_BYTES) {
        throw new AppError('report.result_too_large', 'The dashboard has too much data: ask for one widget');
      }
      yield part;
    }
  };
  return (await buffer(bounded())).toString('utf8');
}
