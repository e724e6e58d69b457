import { type DataTest } from '../manifest/node-schemas';
import { unquoted } from './draft';

/** What the tests of a project tell about its models. */
export class DataTests {
  private readonly byModel = new Map<string, DataTest[]>();

  constructor(tests: readonly DataTest[]) {
    for (const test of tests) {
      const owner = ownerOf(test);
      if (owner === undefined || test.config?.enabled === false) continue;
      this.byModel.set(owner, [...(this.byModel.get(owner) ?? []), test]);
    }
  }

  /** Columns of the model for which a test of that name proves something about every row. */
  proven(model: string, name: string): ReadonlySet<string> {
    return new Set(
      this.of(model, name)
        .filter(isStrict)
        .map((test) => columnOf(test).toLowerCase()),
    );
  }

  /** Columns of the model that refer to columns of other nodes. */
  relationships(model: string): { column: string; target: string; field: string }[] {
    return this.of(model, 'relationships').map((test) => ({
      column: columnOf(test),
      // The order of these varies; a node that refers to itself stands there alone.
      target: test.depends_on?.nodes?.find((node) => node !== model) ?? model,
      field: unquoted(textOf(test.test_metadata.kwargs?.field)),
    }));
  }

  private of(model: string, name: string): DataTest[] {
    return (this.byModel.get(model) ?? []).filter(({ test_metadata }) => test_metadata.name === name);
  }
}

/** Of a relationship's two nodes only `attached_node` tells which one is tested. */
function ownerOf({ attached_node, depends_on }: DataTest): string | undefined {
  if (attached_node) return attached_node;
  return depends_on?.nodes?.length === 1 ? depends_on.nodes[0] : undefined;
}

function columnOf({ column_name, test_metadata }: DataTest): string {
  return unquoted(column_name ?? textOf(test_metadata.kwargs?.column_name));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A test of a part of the rows, or one that may fail, proves nothing about the table. */
function isStrict({ config }: DataTest): boolean {
  if (!config) return true;
  const severe = (config.severity ?? 'error').toLowerCase() === 'error';
  const failing = (config.error_if ?? '!= 0').replace(/\s+/g, '');
  return severe && !config.where && !config.limit && ['!=0', '>0', '>=1'].includes(failing);
}
