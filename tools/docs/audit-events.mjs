// Writes the table of events in docs/audit-events.md from the contract's x-audit; with --check it only compares.
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const { operations } = createRequire(import.meta.url)(join(root, 'dist/libs/contract/src'));
const target = join(root, 'docs/audit-events.md');
const [begin, end] = ['<!-- events:begin -->', '<!-- events:end -->'];

/** One row for each event: its operations, and the attributes that any of them records. */
function rows() {
  const byEvent = new Map();
  for (const { operationId, audit } of operations) {
    if (!audit) continue;
    const row = byEvent.get(audit.event) ?? { ids: new Set(), attributes: new Set() };
    row.ids.add(operationId);
    for (const name of [audit.target, ...audit.fields]) {
      if (name !== undefined && name !== 'deploymentId') row.attributes.add(name);
    }
    byEvent.set(audit.event, row);
  }
  return [...byEvent].sort(([left], [right]) => left.localeCompare(right));
}

const code = (names) => [...names].map((name) => `\`${name}\``).join(', ');
const line = ([event, { ids, attributes }]) => `| ${event} | ${code(ids)} | ${code(attributes)} |`;
const table = ['| event | operations | attributes |', '| --- | --- | --- |', ...rows().map(line)].join('\n');

const text = await readFile(target, 'utf8');
const [before, after] = [text.slice(0, text.indexOf(begin) + begin.length), text.slice(text.indexOf(end))];
const wanted = await format(`${before}\n\n${table}\n\n${after}`, {
  ...(await resolveConfig(target)),
  filepath: target,
});
if (!process.argv.includes('--check')) await writeFile(target, wanted);
else if (wanted !== text) {
  console.error('docs/audit-events.md does not name the events as they are: run npm run docs:audit-events');
  process.exitCode = 1;
}
