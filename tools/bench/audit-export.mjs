// (d) Export of a large audit log over HTTP, by services on NATS and by one process, against psql's \copy of the same rows.
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { send } from './client.mjs';
import { growthDuring } from './memory.mjs';
import { adminKey, processIdOf, startPlatform, startPostgres, startServices, temporaryFolder } from './processes.mjs';

const run = promisify(execFile);
const events = Number(process.env.PLINTH_BENCH_EVENTS ?? 1_000_000);
const rounds = 3;

/** Events of the account `local`, spread over the months that have a table; hashes are not looked at. */
const fill = `
  insert into control_plane.audit_event
  select 1, n, gen_random_uuid(), date_trunc('month', now()) + n * interval '100 days' / ${events},
    (array['Created user', 'Updated role', 'Entered dev mode', 'Triggered new build', 'Logged in'])[1 + n % 5],
    'api-key', 'api-key:' || n % 50, 'user' || n % 500 || '@acme.test', '203.0.113.' || n % 250,
    nullif(n % 20, 0), case when n % 20 > 0 then 'Deployment ' || n % 20 end, gen_random_uuid(),
    json_build_object('name', 'Object ' || n, 'branchName', 'feature/' || n % 1000, 'paths', array['model/a.yml', 'model/b.yml']),
    sha256(n::text::bytea)
  from generate_series(1, ${events}) n;
  insert into control_plane.audit_chain values (1, ${events}, '')
    on conflict (tenant_id) do update set length = excluded.length;
  analyze control_plane.audit_event`;

const sameRows =
  `select id, occurred_at, event, actor_type, actor_id, actor_email, client_ip, deployment_id, deployment_name,
  request_id, attributes from control_plane.audit_event where tenant_id = 1 order by occurred_at, id`.replaceAll(
    '\n',
    ' ',
  );

const timed = async (work) => {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
};

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

export async function benchAuditExport() {
  const databaseUrl = await startPostgres();
  const variants = [
    {
      variant: 'export over HTTP, on NATS',
      url: await startServices(databaseUrl, temporaryFolder('storage')),
      processes: ['control-plane', 'gateway'],
    },
    {
      variant: 'export over HTTP, one process',
      url: await startPlatform(databaseUrl, temporaryFolder('storage')),
      processes: ['platform'],
    },
  ].map((each) => ({ ...each, measured: [] }));
  const folder = temporaryFolder('export');
  const [exported, copied] = [join(folder, 'export.csv'), join(folder, 'copy.csv')];
  await send(variants[0].url, 'PUT', '/api/v1/tenant/settings', { auditLogEnabled: true });
  await run('psql', [databaseUrl, '-qc', fill]);

  const key = `authorization: Bearer ${adminKey}`;
  const overHttp = (url, query = '') =>
    timed(() => run('curl', ['-sSf', '-o', exported, '-H', key, `${url}/api/v1/audit-logs/export${query}`]));
  const byCopy = () => timed(() => run('psql', [databaseUrl, '-qc', `\\copy (${sameRows}) to '${copied}' csv header`]));
  const pidOf = (name) => processIdOf(`dist/apps/${name}/src/main.js`);
  for (const { url } of variants) await overHttp(url, '?search=absent');
  await byCopy();
  const copies = [];
  for (let round = 0; round < rounds; round += 1) {
    copies.push(await byCopy());
    for (const { url, processes, measured } of variants) {
      measured.push(await growthDuring(processes.map(pidOf), () => overHttp(url)));
    }
  }

  const base = median(copies);
  const row = (variant, file, seconds, more = {}) => ({
    variant,
    seconds: seconds.toFixed(1),
    'of \\copy': (seconds / base).toFixed(2),
    MB: Math.round(statSync(file).size / 1e6),
    ...more,
  });
  return [
    row('psql \\copy', copied, base),
    ...variants.map(({ variant, processes, measured }) =>
      row(
        variant,
        exported,
        median(measured.map(({ result }) => result)),
        Object.fromEntries(
          processes.map((name, at) => [
            `${name} +MB`,
            Math.max(...measured.map(({ growth }) => growth[at])).toFixed(1),
          ]),
        ),
      ),
    ),
  ];
}
