import type { Schemas } from '@plinth/contract';

export type Widget = Schemas['DashboardWidget'];
type Input = NonNullable<Schemas['DashboardDataInput']>;
type Saved = Required<{ [Name in 'filters' | 'timeGrains' | 'memberSwitchers']: NonNullable<Input[Name]> }>;

const operatorsWithoutValue: readonly unknown[] = ['is_null', 'is_not_null', 'is_empty', 'is_not_empty'];

/**
 * What the control widgets of a dashboard have saved: FILTER and TIME_GRAIN widgets name their member, with `operator` and
 * `value`, or `grain`; FIELD widgets name the member that they replace, and `selected`. A control without a choice is none.
 */
export function savedControls(widgets: readonly Widget[]): Saved {
  const saved: Saved = { filters: [], timeGrains: [], memberSwitchers: [] };
  for (const { type, config } of widgets) {
    const { member, operator, value, grain, selected } = config ?? {};
    if (typeof member !== 'string' || !/.\../.test(member)) continue;
    if (type === 'FILTER' && isChosen(operator, value))
      saved.filters.push({ ...config, member } as Saved['filters'][0]);
    if (type === 'TIME_GRAIN' && typeof grain === 'string') saved.timeGrains.push({ member, grain });
    if (type === 'FIELD' && typeof selected === 'string') saved.memberSwitchers.push({ member, selected });
  }
  return saved;
}

const isChosen = (operator: unknown, value: unknown): boolean =>
  operatorsWithoutValue.includes(operator) ||
  (value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0));
