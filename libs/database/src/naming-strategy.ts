import { DefaultNamingStrategy, Table, type NamingStrategyInterface } from 'typeorm';

const snakeCase = (text: string): string => text.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
const tableName = (table: Table | string): string =>
  ((table instanceof Table ? table.name : table).split('.').at(-1) as string).replaceAll('"', '');

/** snake_case columns, tables named as their entity, constraints named `<table>_<columns>_{pk,fk,unique,index}`. */
export class PlinthNamingStrategy extends DefaultNamingStrategy implements NamingStrategyInterface {
  override tableName(className: string, customName: string | undefined): string {
    return customName ?? snakeCase(className);
  }

  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? snakeCase(propertyName);
  }

  override primaryKeyName(table: Table | string, columns: string[]): string {
    return `${tableName(table)}_${columns.join('_')}_pk`;
  }

  override uniqueConstraintName(table: Table | string, columns: string[]): string {
    return `${tableName(table)}_${columns.join('_')}_unique`;
  }

  override foreignKeyName(table: Table | string, columns: string[]): string {
    return `${tableName(table)}_${columns.join('_')}_fk`;
  }

  override indexName(table: Table | string, columns: string[]): string {
    return `${tableName(table)}_${columns.join('_')}_index`;
  }
}
