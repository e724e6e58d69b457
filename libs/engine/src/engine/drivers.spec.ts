import { DriverUnavailable, requireDriver, requireDrivers } from './drivers';

describe('the drivers of databases', () => {
  it.each([
    ['mysql', 'Databases of type mysql need the package @cubejs-backend/mysql-driver, which is not installed'],
    ['duckdb', 'Databases of type duckdb are not served here: it reads files of the machine'],
    ['jdbc', 'Databases of type jdbc are not served here: it runs programs on the machine'],
    ['../x', 'CUBEJS_DB_TYPE is no type of a database'],
  ])('are refused for the type %s with a sentence that says why', (type, message) => {
    expect(() => requireDriver(type)).toThrow(new DriverUnavailable(message));
  });

  it('are there for PostgreSQL, and each data source needs its own', () => {
    expect(() => requireDrivers({ default: 'postgres' })).not.toThrow();
    expect(() => requireDrivers({ default: 'postgres', other: 'mysql' })).toThrow(/mysql-driver/);
    expect(() => requireDrivers({})).toThrow(/CUBEJS_DB_TYPE is not set/);
  });
});
