/**
 * Names that the compiler cannot take for cubes or members, or that cannot stand in a reference such as `{name}`, because it
 * reads references as Python and then as JavaScript.
 */
const UNUSABLE: ReadonlySet<string> = new Set(
  [
    'sql sqlTable sql_table extends constructor __proto__ toString valueOf hasOwnProperty',
    'CUBE FILTER_PARAMS FILTER_GROUP SECURITY_CONTEXT USER_CONTEXT COMPILE_CONTEXT SQL_UTILS',
    'False None True and as assert async await break class continue def del elif else except finally for from global if',
    'import in is lambda nonlocal not or pass raise return try while with yield',
    'case catch const debugger default delete do enum export false function implements instanceof interface',
    'let new null package private protected public static super switch this throw true typeof undefined var void',
  ].flatMap((line) => line.split(' ')),
);

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAX_LENGTH = 200;

/** Whether SQL and references can have it without quotes. */
export function isIdentifier(name: string): boolean {
  return IDENTIFIER.test(name);
}

/** The name as the compiler can take it; equal names stay equal, and different ones may become equal. */
export function usableName(name: string): string {
  const word = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_]+/g, '_')
    // The compiler takes every key that holds this word for a reference.
    .replaceAll('extends', 'extend')
    .slice(0, MAX_LENGTH);
  const identifier = isIdentifier(word) ? word : `_${word}`;
  return UNUSABLE.has(identifier) ? `${identifier}_` : identifier;
}

/** Gives every name once. */
export class TakenNames {
  private readonly taken = new Set<string>();

  /** The usable form of the first name that is free, else the last with a number. */
  take(...wishes: [string, ...string[]]): string {
    const names = wishes.map(usableName);
    const name = names.find((candidate) => !this.has(candidate)) ?? this.numbered(names.at(-1) as string);
    this.taken.add(name.toLowerCase());
    return name;
  }

  /** Names that differ in case alone are one: they would be one alias in SQL. */
  has(name: string): boolean {
    return this.taken.has(name.toLowerCase());
  }

  free(name: string): void {
    this.taken.delete(name.toLowerCase());
  }

  private numbered(name: string): string {
    let number = 2;
    while (this.has(`${name}_${number}`)) number += 1;
    return `${name}_${number}`;
  }
}
