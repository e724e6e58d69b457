import { type Report } from '../report';
import { type DataTests } from './data-tests';
import { type CubeDraft, type Dimension, type ModelSql } from './draft';
import { isIdentifier } from './names';
import { foreignKeys } from './primary-keys';

const REF = /^\s*ref\(\s*(?:['"]([^'"]+)['"]\s*,\s*)?['"]([^'"]+)['"]/;

/** Joins between the cubes of a project. */
export class Joins {
  constructor(
    /** By the `unique_id` of their models. */
    private readonly cubes: ReadonlyMap<string, CubeDraft>,
    private readonly report: Report,
  ) {}

  /** By `relationships` tests and foreign keys, from the cube that has the key to the one that it names. */
  addDeclared(tests: DataTests): void {
    for (const cube of this.cubes.values()) {
      const links = [...tests.relationships(cube.model.unique_id), ...this.foreignKeyLinks(cube)];
      const order = cube.model.columns.map(({ name }) => name.toLowerCase());
      const place = ({ column }: { column: string }): number => order.indexOf(column.toLowerCase());
      for (const link of links.sort((a, b) => place(a) - place(b))) this.link(cube, link);
    }
  }

  /** Joins over equal columns; `to` gets its key by them when it has none. */
  connect(from: CubeDraft, to: CubeDraft, [left, right]: [Dimension, Dimension]): void {
    const sql = `${left.sql} = ${right.sql.replaceAll('{CUBE}', `{${to.name}}`)}`;
    if (this.add(from, to, sql) && to.keys.length === 0) to.keys = [right.name];
  }

  /** The same joins from the other side. */
  addReverse(): void {
    for (const cube of this.cubes.values()) {
      for (const { to, sql, relationship } of cube.joins.values()) {
        if (relationship !== 'many_to_one' || to.joins.has(cube.name)) continue;
        to.joins.set(cube.name, { to: cube, sql: turned(sql, cube.name, to.name), relationship: 'one_to_many' });
      }
    }
  }

  /** A join with a side that has no key does not compile, and the whole data model with it. */
  dropKeyless(): void {
    for (const cube of this.cubes.values()) {
      for (const [name, { to }] of cube.joins) {
        const keyless = [cube, to].find(({ keys }) => keys.length === 0);
        if (!keyless) continue;
        cube.joins.delete(name);
        this.report.skip(`join ${cube.name} -> ${name}`, `${keyless.name} has no primary key`);
      }
    }
  }

  private foreignKeyLinks(cube: CubeDraft): Link[] {
    return foreignKeys(cube).flatMap(({ columns, to, toColumns }) => {
      const [column, ...others] = columns;
      const [field] = toColumns;
      const target = this.targetOf(to);
      if (column !== undefined && others.length === 0 && field !== undefined && target !== undefined) {
        return [{ column, target, field }];
      }
      const reason = target === undefined ? `${to || 'its target'} has no cube` : 'it is not of one column';
      this.report.skip(`foreign key of ${cube.name} (${columns.join(', ')})`, reason);
      return [];
    });
  }

  /** dbt writes the target of a foreign key as the text of a reference, or as the table that it resolved it to. */
  private targetOf(to: string): string | undefined {
    const [, packageName, name] = REF.exec(to) ?? [];
    const target = [...this.cubes.values()].find(({ model }) =>
      name === undefined
        ? model.relation_name === to
        : model.name === name && (packageName === undefined || model.package_name === packageName),
    );
    return target?.model.unique_id;
  }

  private link(cube: CubeDraft, { column, target, field }: Link): void {
    const to = this.cubes.get(target);
    const what = `join ${cube.name}.${column} -> ${to?.name ?? target}`;
    if (!to) return this.report.skip(what, 'the target has no cube');
    if (to === cube) return this.report.skip(what, 'a cube cannot join itself');
    const left = columnOf(cube, column);
    const right = columnOf(to, field);
    if (!left || !right) return this.report.skip(what, 'its columns are not documented, and have no plain names');
    this.connect(cube, to, [left, right]);
  }

  private add(from: CubeDraft, to: CubeDraft, sql: ModelSql): boolean {
    const existing = from.joins.get(to.name);
    if (!existing) {
      from.joins.set(to.name, { to, sql, relationship: 'many_to_one' });
      return true;
    }
    if (existing.sql !== sql)
      this.report.skip(`join ${from.name} -> ${to.name} by ${sql}`, 'there is another one already');
    return false;
  }
}

interface Link {
  column: string;
  /** `unique_id` of a node. */
  target: string;
  field: string;
}

/** A column that a test names exists, documented or not. */
function columnOf(cube: CubeDraft, column: string): Dimension | undefined {
  const documented = cube.column(column);
  if (documented || !isIdentifier(column)) return documented;
  return cube.addDimension(column, { sql: `{CUBE}.${column}`, type: 'string', column, public: false });
}

function turned(sql: ModelSql, from: string, to: string): ModelSql {
  return sql
    .split(/(\{CUBE\}|\{\w+\})/)
    .map((part) => (part === '{CUBE}' ? `{${from}}` : part === `{${to}}` ? '{CUBE}' : part))
    .join('');
}
