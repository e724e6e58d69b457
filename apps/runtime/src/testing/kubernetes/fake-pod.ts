import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { environmentOver } from '@plinth/config';
import { MODEL_FOLDER, type PackedModel } from '../../engines/kubernetes/cube-configuration';
import { fakeAnswers } from '../fake-answers';
import type { FakeModel } from '../fake-model';

/** The fake engine, as a container runs it: by its environment and the files that are mounted into it. */
const environment = environmentOver({});
const variable = (name: string): string => environment[name] ?? '';
const log = (message: string): boolean => process.stdout.write(`${JSON.stringify({ message, level: 'info' })}\n`);

function mounted(): FakeModel {
  const parts = readdirSync(MODEL_FOLDER).sort((left, right) => Number(left) - Number(right));
  const archive = Buffer.concat(parts.map((name) => readFileSync(join(MODEL_FOLDER, name))));
  const { files } = JSON.parse(gunzipSync(archive).toString('utf8')) as PackedModel;
  return JSON.parse(files[0]?.content ?? '{}') as FakeModel;
}

async function main(): Promise<void> {
  const model = mounted();
  if (model.says !== undefined) process.stderr.write(`${model.says}\n`);
  if (model.startMs !== undefined) await pause(model.startMs);
  if (model.diesAtStart) process.kill(process.pid, 'SIGKILL');
  if (model.fails !== undefined) {
    process.stdout.write(`${model.fails}\n`, () => process.exit(1));
    return;
  }
  const variables = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      /^(CUBEJS_DB_(HOST|PASS|NAME)|A|A_TOKEN_FILE)$/.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  );
  const tokenSecret = variable('CUBEJS_API_SECRET');
  const answers = fakeAnswers({ tokenSecret, model, variables, log: (message) => void log(message) });
  const server = createServer((request, response) => {
    if (request.url === '/readyz') return void response.writeHead(200).end('{"health":"HEALTH"}');
    if (request.url?.endsWith('/meta') !== true) return answers(request, response);
    const errors = model.broken?.map(({ message, fileName, line }) => `${fileName}:${line}: ${message}`).join('\n');
    if (errors === undefined) return void response.writeHead(200).end('{}');
    response.writeHead(500).end(JSON.stringify({ error: `Error: Compile errors:\n${errors}` }));
  });
  server.listen(Number(variable('PORT')), variable('STAND_IN_ADDRESS'));
  process.on('SIGTERM', () => server.close(() => process.exit(0)));
}

void main();
