import { Injectable } from '@nestjs/common';
import { AppError } from '@plinth/errors';
import type { ControlField, ControlOption } from '@plinth/rendering';
import type { DataFilter } from '../data/engine-filters';
import type { Widget } from '../data/saved-controls';
import { QueryRunner, type QueryCaller } from '@plinth/queries';
import { type Chosen, fieldName, filterForm, memberOf, optionsOf } from './control-form';
import { memberText } from './control-texts';

const GRAINS = ['hour', 'day', 'week', 'month', 'quarter', 'year'];
/** Values that a list offers. */
const MOST_VALUES = 200;
const BOOLEANS = ['true', 'false'];

/** Makes controls of dashboards into fields that a reader can change. */
@Injectable()
export class ControlFields {
  constructor(private readonly runner: QueryRunner) {}

  /** Types of the members that controls name; nothing is asked when there are no filters. */
  async typesFor(viewer: QueryCaller, widgets: readonly Widget[]): Promise<(member: string) => string | undefined> {
    if (!widgets.some(({ type }) => type === 'FILTER')) return () => undefined;
    const types = await this.runner.memberTypes(viewer).catch(orNothing);
    return (member) => types?.get(member);
  }

  /** By the ids of the widgets. Values of lists are those that the viewer may see. */
  async of(
    viewer: QueryCaller,
    widgets: readonly Widget[],
    chosen: Chosen,
    typeOf: (member: string) => string | undefined,
  ): Promise<Map<string, ControlField>> {
    const found = await Promise.all(
      widgets.map(async (widget): Promise<[string, ControlField | undefined]> => {
        const member = memberOf(widget);
        if (member === undefined) return [widget.id, undefined];
        if (widget.type === 'FILTER')
          return [widget.id, await this.filter(viewer, widget, member, chosen, typeOf(member))];
        return [widget.id, selectOf(widget, member, chosen)];
      }),
    );
    return new Map(found.filter((each): each is [string, ControlField] => each[1] !== undefined));
  }

  private async filter(
    viewer: QueryCaller,
    widget: Widget,
    member: string,
    { filters }: Chosen,
    type: string | undefined,
  ): Promise<ControlField | undefined> {
    const current = filters.find((each) => each.member === member);
    const name = fieldName(widget);
    switch (filterForm(widget, type)) {
      case 'days':
        return daysOf(widget, current);
      case 'text':
        return { kind: 'text', name, value: valuesOf(current).join(', ') };
      case 'choices': {
        const values = type === 'boolean' ? BOOLEANS : await this.values(viewer, member);
        const marked = valuesOf(current);
        const all = [...new Set([...values, ...marked])];
        return { kind: 'choices', name, options: all.map((value) => optionOf(value, value, marked.includes(value))) };
      }
      default:
        return undefined;
    }
  }

  private async values(viewer: QueryCaller, member: string): Promise<string[]> {
    const query = { dimensions: [member], order: { [member]: 'asc' }, limit: MOST_VALUES };
    const result = await this.runner.load(viewer, query).catch(orNothing);
    return (result?.rows ?? [])
      .map((row) => row[member])
      .filter((value) => typeof value === 'string' && value !== '') as string[];
  }
}

/** A dashboard whose model has no such member any more is shown all the same, with a field for text. */
function orNothing(error: unknown): undefined {
  if (error instanceof AppError) return undefined;
  throw error;
}

function selectOf(widget: Widget, member: string, { timeGrains, memberSwitchers }: Chosen): ControlField | undefined {
  const name = fieldName(widget);
  if (widget.type === 'TIME_GRAIN') {
    const current = timeGrains.find((each) => each.member === member)?.grain ?? '';
    const grains = GRAINS.includes(current) || current === '' ? GRAINS : [...GRAINS, current];
    const options = [
      optionOf('', '–', current === ''),
      ...grains.map((each) => optionOf(each, each, each === current)),
    ];
    return { kind: 'choice', name, options };
  }
  const members = widget.type === 'FIELD' ? optionsOf(widget) : [];
  if (members.length === 0) return undefined;
  const current = memberSwitchers.find((each) => each.member === member)?.selected ?? member;
  const all = [...new Set([member, ...members])];
  return { kind: 'choice', name, options: all.map((each) => optionOf(each, memberText(each), each === current)) };
}

const optionOf = (value: string, label: string, chosen: boolean): ControlOption => ({ value, label, chosen });

function daysOf(widget: Widget, current: DataFilter | undefined): ControlField {
  const [first = '', second = ''] = valuesOf(current);
  const operator = current?.operator ?? '';
  const from = operator.startsWith('less') ? '' : first;
  const to =
    operator === 'between' || operator === 'equals' ? second || first : operator.startsWith('less') ? first : '';
  return {
    kind: 'days',
    from: { name: fieldName(widget, 'from'), label: 'From', value: from.slice(0, 10) },
    to: { name: fieldName(widget, 'to'), label: 'To', value: to.slice(0, 10) },
  };
}

const valuesOf = (filter: DataFilter | undefined): string[] => {
  const value: unknown = filter?.value;
  return (Array.isArray(value) ? (value as unknown[]) : [value]).filter((each) => each != null).map(String);
};
