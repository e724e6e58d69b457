import type { Controls } from '../data/data-results.service';
import { savedControls, type Widget } from '../data/saved-controls';
import type { DataFilter } from '../data/engine-filters';

export type Chosen = Pick<Controls, 'filters' | 'timeGrains' | 'memberSwitchers'>;
/** What a form has sent: values by names of fields. */
export type SentFields = Readonly<Record<string, readonly string[]>>;
/** How a filter is changed on a page. */
export type FilterForm = 'choices' | 'days' | 'text';

type Operator = NonNullable<DataFilter['operator']>;

const WITHOUT_VALUE: readonly unknown[] = ['is_null', 'is_not_null', 'is_empty', 'is_not_empty'];
const LISTS: readonly unknown[] = ['equals', 'not_equals'];

export const fieldName = ({ id }: Widget, part?: 'from' | 'to'): string => `c.${id}${part ? `.${part}` : ''}`;

/** Undefined for a filter that has nothing to be changed, and for what is no filter. */
export function filterForm({ type, config }: Widget, memberType: string | undefined): FilterForm | undefined {
  const operator = operatorOf(config?.['operator']);
  if (type !== 'FILTER' || WITHOUT_VALUE.includes(operator)) return undefined;
  if (operator === 'custom') return 'text';
  if (memberType === 'time') return 'days';
  return LISTS.includes(operator) && (memberType === 'string' || memberType === 'boolean') ? 'choices' : 'text';
}

/** What is chosen in a form; what it has no field for is as the dashboard has it saved. */
export function chosenIn(
  widgets: readonly Widget[],
  fields: SentFields,
  typeOf: (member: string) => string | undefined,
): Chosen {
  const saved = savedControls(widgets);
  const chosen: Chosen = { filters: [], timeGrains: [], memberSwitchers: [] };
  const add = <Kind extends keyof Chosen>(kind: Kind, found: readonly Chosen[Kind][number][]): void => {
    chosen[kind] = [...chosen[kind], ...found] as Chosen[Kind];
  };
  for (const widget of widgets) {
    const member = memberOf(widget);
    if (member === undefined) continue;
    const [value = ''] = fields[fieldName(widget)] ?? [];
    const own = <Each extends { member: string }>(all: readonly Each[]): Each[] =>
      all.filter((each) => each.member === member);
    if (widget.type === 'TIME_GRAIN') add('timeGrains', value === '' ? [] : [{ member, grain: value as never }]);
    if (widget.type === 'FIELD')
      add(
        'memberSwitchers',
        optionsOf(widget).includes(value) ? [{ member, selected: value }] : own(saved.memberSwitchers),
      );
    if (widget.type !== 'FILTER') continue;
    const form = filterForm(widget, typeOf(member));
    add('filters', form === undefined ? own(saved.filters) : filterIn(widget, member, form, fields));
  }
  return chosen;
}

function filterIn(widget: Widget, member: string, form: FilterForm, fields: SentFields): DataFilter[] {
  if (form === 'days')
    return daysIn(member, fields[fieldName(widget, 'from')]?.[0], fields[fieldName(widget, 'to')]?.[0]);
  const values = (fields[fieldName(widget)] ?? []).filter((each) => each !== '');
  if (values.length === 0) return [];
  const operator = operatorOf(widget.config?.['operator']);
  if (form === 'choices') return [{ member, operator, value: values }];
  const [text = ''] = values;
  const parts = text.split(',').map((part) => part.trim());
  return [{ member, operator, value: operator === 'between' || LISTS.includes(operator) ? parts : text }];
}

function daysIn(member: string, from = '', to = ''): DataFilter[] {
  if (from !== '' && to !== '') return [{ member, operator: 'between', value: [from, to] }];
  if (from !== '') return [{ member, operator: 'greater_than_or_equal', value: from }];
  return to === '' ? [] : [{ member, operator: 'less_than_or_equal', value: to }];
}

/** Members that a FIELD widget offers in its `options`. */
export function optionsOf({ config }: Widget): string[] {
  const options = config?.['options'];
  return Array.isArray(options) ? options.filter((each): each is string => typeof each === 'string').slice(0, 100) : [];
}

export function memberOf({ config }: Widget): string | undefined {
  const member = config?.['member'];
  return typeof member === 'string' && /.\../.test(member) ? member : undefined;
}

const operatorOf = (operator: unknown): Operator => (typeof operator === 'string' ? (operator as Operator) : 'equals');
