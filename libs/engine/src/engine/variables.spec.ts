import { selectVariables } from './variables';

describe('variables of a deployment', () => {
  it.each([
    ['NODE_OPTIONS', '--require /tmp/x.js'],
    ['PATH', '/tmp'],
    ['LD_PRELOAD', '/tmp/x.so'],
    ['CUBEJS_API_SECRET', 'x'],
    ['CUBEJS_PLAYGROUND_AUTH_SECRET', 'x'],
    ['CUBEJS_DEV_MODE', 'true'],
    ['CUBEJS_TESSERACT_SQL_PLANNER', 'true'],
    ['CUBEJS_TELEMETRY', 'true'],
    ['CUBEJS_AGENT_ENDPOINT_URL', 'https://example.test'],
    ['CUBEJS_PG_SQL_PORT', '5432'],
    ['CUBEJS_DB_BQ_KEY_FILE', '/etc/passwd'],
    ['CUBEJS_DB_SOCKET_PATH', '/run/x.sock'],
    ['CUBEJS_DS_OTHER_DB_SNOWFLAKE_PRIVATE_KEY_PATH', '/etc/passwd'],
    ['CUBEJS_DB_SSL_KEY', '/etc/ssl/private/key.pem'],
    ['CUBEJS_DB_EXPORT_BUCKET_MOUNT_DIR', '/etc'],
    ['CUBEJS_JDBC_DRIVER', 'x'],
  ])('do not reach the engine when it does not know them, or they reach into the machine: %s', (name, value) => {
    const { engine, model, ignored } = selectVariables({ [name]: value });
    expect([engine, model, ignored]).toEqual([{}, {}, [name]]);
  });

  it('reach the engine where they are of a driver, and never the model', () => {
    const given = { CUBEJS_DB_TYPE: 'postgres', CUBEJS_DB_PASS: 'hush', CUBEJS_DS_OTHER_DB_HOST: 'x' };
    expect(selectVariables({ ...given, CUBEJS_DEFAULT_TIMEZONE: 'UTC' })).toMatchObject({
      engine: given,
      model: { CUBEJS_DEFAULT_TIMEZONE: 'UTC' },
      ignored: [],
    });
  });

  it('hold certificates themselves, not paths of such', () => {
    const pem = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----';
    expect(selectVariables({ CUBEJS_DB_SSL_CA: pem }).engine).toEqual({ CUBEJS_DB_SSL_CA: pem });
  });

  it('tell the kinds of the databases by their names', () => {
    const { databases } = selectVariables({
      CUBEJS_DATASOURCES: 'default, other',
      CUBEJS_DB_TYPE: 'postgres',
      CUBEJS_DS_OTHER_DB_TYPE: 'mysql',
    });
    expect(databases).toEqual({ default: 'postgres', other: 'mysql' });
  });
});
