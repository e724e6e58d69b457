import { parseArgs } from 'node:util';
import { topologyNames } from './topologies.mjs';

const usage = `npm run fuzz -- [options]

Sends requests made from the served API document, and bytes that are no requests at all, to a platform of its own on
loopback. Ends with 1 on a 5xx, a hang, a status or a body that the document does not have, a lost write, a process that
ends or an error in a log; prints a request that shows each of them.

  --minutes N      how long, all topologies together (2)
  --seconds N      the same in seconds
  --seed N         seed of every choice (random; printed)
  --topology NAME  ${topologyNames.join(' or ')} (both)
  --operation ID   only requests of this operation, and no raw sockets
  --clients N      requests at once (4)`;

const known = ['minutes', 'seconds', 'seed', 'topology', 'operation', 'clients'];
const LONGEST_SECONDS = 24 * 3_600;

/** What to run; ends the process when asked for help or when an option makes no sense. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      help: { type: 'boolean' },
      ...Object.fromEntries(known.map((name) => [name, { type: 'string' }])),
    },
  });
  if (values.help) exit(usage, 0);
  const number = (name, fallback, most) => {
    const value = Number(values[name] ?? fallback);
    if (!Number.isInteger(value) || value < 1 || value > most) exit(`--${name} is a number from 1 to ${most}`, 2);
    return value;
  };
  if (values.topology && !topologyNames.includes(values.topology)) exit(`There is no topology ${values.topology}`, 2);
  return {
    seconds: values.seconds ? number('seconds', 0, LONGEST_SECONDS) : 60 * number('minutes', 2, LONGEST_SECONDS / 60),
    seed: number('seed', 1 + Math.floor(Math.random() * 1e9), 1e9),
    topologies: values.topology ? [values.topology] : topologyNames,
    operation: values.operation,
    clients: number('clients', 4, 32),
  };
}

function exit(text, status) {
  console[status === 0 ? 'log' : 'error'](status === 0 ? text : `${text}\n\n${usage}`);
  process.exit(status);
}
