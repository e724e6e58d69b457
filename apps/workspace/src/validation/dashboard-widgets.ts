/** A widget that names something of the data model or a report. */
export interface Widget {
  id: string | null;
  type: string;
  /** Of a control. */
  members: string[];
  /** Of a chart. */
  reportId: number | null;
}

/** What of the configuration of each control names a member. */
const namesOf: Readonly<Record<string, readonly string[]>> = {
  FILTER: ['member'],
  TIME_GRAIN: ['member'],
  FIELD: ['member', 'selected'],
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Charts with a report and controls with members of a dashboard's configuration, in their order. */
export function widgetsOf(config: unknown): Widget[] {
  const widgets = isObject(config) && Array.isArray(config['widgets']) ? (config['widgets'] as unknown[]) : [];
  return widgets.filter(isObject).flatMap(({ id, type, config: inner }): Widget[] => {
    if (typeof type !== 'string' || !isObject(inner)) return [];
    const widget = { id: typeof id === 'string' ? id : null, type };
    const reportId = type === 'CHART' && Number.isSafeInteger(inner['reportId']) ? (inner['reportId'] as number) : null;
    const members = (namesOf[type] ?? []).map((name) => inner[name]).filter((name) => typeof name === 'string');
    return reportId === null && members.length === 0 ? [] : [{ ...widget, members, reportId }];
  });
}
