/**
 * Makes the manifests and the tables of the dbt projects that tests use, with the real dbt, on a PostgreSQL of its own:
 *
 *   node tools/dbt-projects/make.cjs PROJECT DBT_COMMAND
 *
 * The newer form of semantic models needs dbt 1.12; the others are made by 1.11.
 */
const { execFileSync } = require('node:child_process');
const { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { Client } = require('pg');
require('../jest/register-typescript');
const { startEmbeddedPostgres } = require('../../libs/embedded-postgres/src');

const [project, dbt] = process.argv.slice(2);
const fixture = join(__dirname, '../../libs/testing/src/dbt-projects/files', project);
/** Long parts of manifests that no conversion reads. */
const LONG = new Set([
  ...['raw_code', 'compiled_code', 'compiled', 'checksum', 'created_at', 'unrendered_config', 'docs', 'patch_path'],
  ...['build_path', 'extra_ctes', 'extra_ctes_injected', 'compiled_path', 'fqn', 'refs', 'sources', 'contract'],
  ...['doc_blocks', 'root_path', 'checksum', 'node_relation', 'metadata', 'macros', 'time_granularity'],
]);

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'dbt-project-'));
  const postgres = await startEmbeddedPostgres({ dataFolder: join(folder, 'data'), durable: false });
  const database = new Client({ connectionString: postgres.url });
  try {
    await database.connect();
    const manifest = build(join(folder, 'project'), new URL(postgres.url));
    writeFileSync(join(fixture, 'manifest.json'), `${JSON.stringify(reduced(manifest), null, 2)}\n`);
    writeFileSync(join(fixture, 'warehouse.sql'), await tables(database, manifest));
  } finally {
    await database.end();
    await postgres.stop();
    rmSync(folder, { recursive: true });
  }
}

function build(work, url) {
  cpSync(join(fixture, 'project'), work, { recursive: true });
  writeFileSync(join(work, '.env'), '');
  const output = {
    ...{ type: 'postgres', host: url.hostname, port: Number(url.port), user: url.username },
    ...{ password: decodeURIComponent(url.password), dbname: url.pathname.slice(1), schema: project, threads: 1 },
  };
  writeFileSync(
    join(work, 'profiles.yml'),
    JSON.stringify({ fixtures: { target: 'prod', outputs: { prod: output } } }),
  );
  const options = {
    cwd: work,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, DBT_SEND_ANONYMOUS_USAGE_STATS: 'false' },
  };
  execFileSync(dbt, ['seed'], options);
  execFileSync(dbt, ['run'], options);
  return JSON.parse(readFileSync(join(work, 'target/manifest.json'), 'utf8'));
}

/** What the project built, as statements that build it without dbt. */
async function tables(database, { nodes }) {
  const built = Object.values(nodes).filter(({ config, resource_type: type }) => {
    return type === 'seed' || (type === 'model' && config.materialized !== 'ephemeral');
  });
  const statements = [...new Set(built.map(({ schema }) => `create schema ${schema};`))];
  for (const { schema, alias } of built) {
    const { rows: columns } = await database.query(
      `select column_name as name, data_type as type from information_schema.columns
       where table_schema = $1 and table_name = $2 order by ordinal_position`,
      [schema, alias],
    );
    const table = `${schema}.${alias}`;
    statements.push(`create table ${table} (${columns.map(({ name, type }) => `"${name}" ${type}`).join(', ')});`);
    const list = columns.map(({ name }) => `coalesce(quote_literal("${name}"::text), 'null')`).join(` || ', ' || `);
    const { rows } = await database.query(`select ${list} as row from ${table} order by 1`);
    if (rows.length > 0 && rows.length < 100) {
      statements.push(`insert into ${table} values\n${rows.map(({ row }) => `  (${row})`).join(',\n')};`);
    }
  }
  return `-- Made by tools/dbt-projects/make.cjs.\n${statements.join('\n')}\n`;
}

function reduced({ metadata, nodes, macros, ...sections }) {
  const kept = ['sources', 'exposures', 'metrics', 'semantic_models', 'saved_queries', 'groups'];
  return {
    metadata,
    nodes: without(nodes),
    macros: Object.fromEntries(
      Object.entries(macros)
        .slice(0, 3)
        .map(([id, { name }]) => [id, { name }]),
    ),
    ...Object.fromEntries(kept.map((section) => [section, without(sections[section])])),
  };
}

function without(value) {
  if (Array.isArray(value)) return value.map(without);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).filter(([key, member]) => !LONG.has(key) && !isEmpty(member));
  return Object.fromEntries(members.map(([key, member]) => [key, without(member)]));
}

/** What says nothing, but for the texts and lists that dbt always writes. */
function isEmpty(value) {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

void main();
