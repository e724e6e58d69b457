import { type ExprRef, type From } from 'pgsql-ast-parser';
import { type Cube, type Resolved } from './model';
import { SqlRefusal, unsupported } from './refusal';

interface Table {
  cube: Cube;
  alias: string;
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
const memberName = (path: string): string => path.slice(path.indexOf('.') + 1);

/** What the names of a statement mean: the cubes and views of its FROM. */
export class Scope {
  private constructor(private readonly tables: readonly Table[]) {}

  /** @throws SqlRefusal when a cube does not exist, or when FROM has more than cubes joined as the model joins them. */
  static of(from: readonly From[], cubes: readonly Cube[]): Scope {
    return new Scope(from.map((table) => tableOf(table, cubes)));
  }

  /** @throws SqlRefusal when there is no such member. */
  resolve({ name, table }: ExprRef): Resolved {
    for (const { cube, alias } of this.tables) {
      if (table !== undefined && !same(table.name, alias)) continue;
      const found = memberOf(cube, name);
      if (found !== undefined) return found;
    }
    throw new SqlRefusal(`No field named '${table === undefined ? '' : `${table.name}.`}${name}'`);
  }

  /** The measure that counts the rows of the first cube. */
  countOfRows(): Resolved {
    const [first] = this.tables;
    const count = first?.cube.measures.find(({ aggType }) => aggType === 'count');
    if (count === undefined) unsupported('COUNT(*) of a cube without a measure of type count');
    return { kind: 'measure', member: count };
  }
}

function tableOf(from: From, cubes: readonly Cube[]): Table {
  if (from.type === 'statement') unsupported('a subquery in FROM');
  if (from.type === 'call') unsupported('a function in FROM');
  if (from.join && !isJoinOfTheModel(from.join)) unsupported('a JOIN other than CROSS JOIN or ON __cubeJoinField');
  const { name, alias = name } = from.name;
  const cube =
    cubes.find((candidate) => candidate.name === name) ?? cubes.find((candidate) => same(candidate.name, name));
  if (cube === undefined) throw new SqlRefusal(`Table or CTE with name '${name}' not found`);
  return { cube, alias };
}

/** Cubes are joined as the data model says: the statement only says that they are. */
function isJoinOfTheModel({ type, on }: NonNullable<From['join']>): boolean {
  if (type === 'CROSS JOIN') return true;
  const sides = on?.type === 'binary' && on.op === '=' ? [on.left, on.right] : [];
  return sides.length === 2 && sides.every((side) => side.type === 'ref' && same(side.name, '__cubeJoinField'));
}

function memberOf(cube: Cube, name: string): Resolved | undefined {
  const isNamed = (member: { name: string }): boolean => same(memberName(member.name), name);
  const dimension = cube.dimensions.find(isNamed);
  if (dimension !== undefined) return { kind: 'dimension', member: dimension };
  const measure = cube.measures.find(isNamed);
  if (measure !== undefined) return { kind: 'measure', member: measure };
  const segment = cube.segments.find(isNamed);
  return segment === undefined ? undefined : { kind: 'segment', member: segment };
}
