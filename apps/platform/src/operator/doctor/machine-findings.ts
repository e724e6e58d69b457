import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ConfigOf, sandboxSettings } from '@plinth/config';
import { Mailer, type MailConfig } from '@plinth/mail';
import { connectOnce } from '@plinth/messaging';
import { findPython } from '@plinth/python';
import { Sandbox } from '@plinth/sandbox';
import { findDbt } from '../../../../build-worker/src';
import { fail, lineOf, off, ok, warn, type Finding } from './finding';

const ANSWER_MS = 3_000;
const LEAST_FREE_BYTES = 1 << 30;
const GIB = 1 << 30;

interface Nats {
  natsUrl?: string | undefined;
  natsUser?: string | undefined;
  natsPassword?: string | undefined;
}

export async function natsFinding({ natsUrl, natsUser: user, natsPassword: password }: Nats): Promise<Finding> {
  if (natsUrl === undefined) return off('PLINTH_NATS_URL is not set: one process serves itself');
  const credentials = user !== undefined && password !== undefined ? { user, password } : undefined;
  const where = natsUrl.replace(/[^/,@]*@/g, '');
  try {
    const connection = await inTime(connectOnce({ natsUrl, name: 'operator', credentials }));
    const { version } = connection.info ?? {};
    await connection.close();
    return ok(`nats-server ${version} at ${where}`);
  } catch (error) {
    return fail(`${where}: ${lineOf(error)}`, 'start nats-server, or correct PLINTH_NATS_URL, _USER and _PASSWORD');
  }
}

export async function sandboxFinding(config: ConfigOf<typeof sandboxSettings>): Promise<Finding> {
  const { sandbox: kind, sandboxUsers: users, sandboxSocket: socket } = config;
  const advice = 'docs/operations.md, "Sandbox", says what each wall needs';
  try {
    const { kind: found, gaps, refused } = await Sandbox.open({ kind, users, socket });
    if (found !== 'none') return ok(`${found}${gaps.length > 0 ? `, open: ${gaps.join(', ')}` : ''}`);
    if (kind === 'none') return warn('none, as PLINTH_SANDBOX says: users can read the keys', advice);
    const reasons = Object.entries(refused).map(([name, reason]) => `${name}: ${reason}`);
    return fail(`none (${reasons.join('; ')})`, advice);
  } catch (error) {
    return fail(lineOf(error), advice);
  }
}

export async function mailFinding(config: MailConfig): Promise<Finding> {
  const mailer = Mailer.of(config);
  if (!mailer) return off('PLINTH_SMTP_URL is not set: links are in replies, and notifications are not sent');
  try {
    await inTime(mailer.verify());
    return ok(`the server takes mail of ${mailer.sender.address}`);
  } catch (error) {
    return fail(lineOf(error), 'correct PLINTH_SMTP_URL, or start the server');
  } finally {
    mailer.close();
  }
}

export async function diskFinding(folder: string): Promise<Finding> {
  const there = nearest(folder);
  const { bavail, bsize, blocks } = await statfs(there);
  const [free, all] = [bavail * bsize, blocks * bsize];
  const found = `${(free / GIB).toFixed(1)} of ${(all / GIB).toFixed(1)} GiB free at ${folder}`;
  if (free < LEAST_FREE_BYTES) return fail(found, 'make room: below 1 GiB nothing is safe');
  return free < all / 20 ? warn(found, 'make room, or use a larger disk') : ok(found);
}

/** Where the folder will be, as long as it is not there. */
const nearest = (folder: string): string => (existsSync(folder) ? folder : nearest(dirname(folder)));

export async function pythonFinding(command: string): Promise<Finding> {
  if (command === '') return off('PLINTH_PYTHON_COMMAND is not set: reports have no programs');
  try {
    const { version, hasPandas } = await findPython(command);
    return hasPandas ? ok(`Python ${version} with pandas`) : warn(`Python ${version}`, 'install pandas for it');
  } catch (error) {
    return fail(lineOf(error), 'install Python, or correct PLINTH_PYTHON_COMMAND');
  }
}

/** Not a failure: dbt syncs of manifests do without. */
export async function dbtFinding(command: string): Promise<Finding> {
  try {
    const { version } = await findDbt(command);
    return ok(`dbt ${version}`);
  } catch (error) {
    return warn(lineOf(error), 'install dbt, or set PLINTH_DBT_COMMAND, for syncs of repositories');
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer within 3 seconds')), ANSWER_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
