import { parseArgs } from 'node:util';
import { faultNames } from './monkey.mjs';

const usage = `npm run chaos:build -- [options]

Writes, commits, validates and builds data models while build workers, NATS and PostgreSQL go down, and checks that
nothing acknowledged was lost or done twice. Ends with 1 when something was.

  --workers N       build workers (4)
  --deployments N   deployments (20)
  --clients N       concurrent clients (8)
  --seconds N       how long clients work (60)
  --seed N          seed of the faults' and clients' choices (random; printed)
  --faults LIST     ${faultNames.join(',')} (all)
  --full            4 workers, 200 deployments, 16 clients, 200 seconds
  --rolling         orderly replacement of one worker after another is the only fault, and no request may fail
  --keep            keeps logs and repositories`;

const full = { deployments: 200, clients: 16, seconds: 200 };

/** What to run; ends the process when asked for help or when an option makes no sense. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: Object.fromEntries(Object.entries(known).map(([k, type]) => [k, { type }])),
  });
  if (values.help) exit(usage, 0);
  const base = values.full ? full : { deployments: 20, clients: 8, seconds: 60 };
  const number = (name, fallback, most) => {
    const value = Number(values[name] ?? fallback);
    if (!Number.isInteger(value) || value < 1 || value > most)
      exit(`--${name} is a number from 1 to ${most}\n\n${usage}`, 2);
    return value;
  };
  return {
    workers: number('workers', 4, 16),
    deployments: number('deployments', base.deployments, 2_000),
    clients: number('clients', base.clients, 64),
    seconds: number('seconds', base.seconds, 3_600),
    seed: number('seed', 1 + Math.floor(Math.random() * 1e6), 1e9),
    faults: values.rolling ? ['replace'] : knownFaults(values.faults),
    mayFail: !values.rolling,
    keep: values.keep ?? false,
  };
}

function knownFaults(list) {
  const names = list?.split(',') ?? faultNames;
  const unknown = names.filter((name) => !faultNames.includes(name));
  if (unknown.length > 0) exit(`There is no fault ${unknown.join(', ')}\n\n${usage}`, 2);
  return names;
}

const known = {
  workers: 'string',
  deployments: 'string',
  clients: 'string',
  seconds: 'string',
  seed: 'string',
  faults: 'string',
  full: 'boolean',
  rolling: 'boolean',
  keep: 'boolean',
  help: 'boolean',
};

function exit(text, status) {
  console[status === 0 ? 'log' : 'error'](text);
  process.exit(status);
}
