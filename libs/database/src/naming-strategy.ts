import { DefaultNamingStrategy, Table, type NamingStrategyInterface } from 'typeorm';

const snakeCase = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();

const tableName = (tableOrName: Table | string): string =>
  (tableOrName instanceof Table ? tableOrName.name : tableOrName).split('.').at(-1) ?? '';

const constraint = (kind: string) => (tableOrName: Table | string, columns: string[]) =>
  [tableName(tableOrName), ...columns.map(snakeCase), kind].join('_');

/** Snake case for tables and columns; `<table>_<columns>_{pk,fk,unique,index}` for keys and indexes. */
export class PlinthNamingStrategy extends DefaultNamingStrategy implements NamingStrategyInterface {
  override tableName(targetName: string, userSpecifiedName: string | undefined): string {
    return userSpecifiedName ?? snakeCase(targetName.replace(/Entity$/, ''));
  }

  override columnName(propertyName: string, customName: string | undefined, prefixes: string[]): string {
    return [...prefixes, customName || propertyName].map(snakeCase).join('_');
  }

  override joinColumnName(relationName: string, referencedColumnName: string): string {
    return `${snakeCase(relationName)}_${snakeCase(referencedColumnName)}`;
  }

  override primaryKeyName = constraint('pk');
  override foreignKeyName = constraint('fk');
  override uniqueConstraintName = constraint('unique');
  override indexName = constraint('index');
}
