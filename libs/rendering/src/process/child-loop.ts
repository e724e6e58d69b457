import { createInterface } from 'node:readline';
import type { Job, ProcessStart, Reply, Supply } from '../protocol';

/** Does one job after the other, each with what came before it. */
export async function serveJobs<J extends Job>(
  begin: (start: ProcessStart) => (job: J, supplies: readonly Supply[]) => Promise<unknown>,
): Promise<void> {
  let perform: ((job: J, supplies: readonly Supply[]) => Promise<unknown>) | undefined;
  let supplies: Supply[] = [];
  for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line) as ProcessStart | Supply | J;
    if (!('kind' in message)) {
      perform = begin(message);
      say({ kind: 'ready' });
    } else if (message.kind === 'rows' || message.kind === 'fragment') supplies.push(message);
    else if (perform) {
      say(await replyTo(perform, message, supplies));
      supplies = [];
    }
  }
}

async function replyTo<J>(
  perform: (job: J, supplies: readonly Supply[]) => Promise<unknown>,
  job: J,
  supplies: readonly Supply[],
): Promise<Reply> {
  try {
    return { kind: 'done', value: await perform(job, supplies) };
  } catch (error) {
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

function say(reply: Reply): void {
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
