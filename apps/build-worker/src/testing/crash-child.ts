import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import type { OperationId } from '@plinth/contract';
import { configureFailpoint } from '@plinth/observability';
import { startHarness, type Deployment, type Premises, type Request } from './worker-harness';

/** What a crash test tells its child; comes as JSON in the first argument. */
export interface CrashOrder {
  premises: Premises;
  deployment: Deployment;
  principal: Principal;
  operationId: OperationId;
  request: Request;
  failpoint: string;
  /** The failpoint is in work that goes on after the reply. */
  inBackground?: boolean;
}

const BACKGROUND_MS = 120_000;

/** Starts a worker on the state of the test, makes one call, and dies at the failpoint. */
async function obey({ premises, deployment, principal, ...order }: CrashOrder): Promise<void> {
  const harness = await startHarness(premises, new Map([[deployment.id, deployment]]), ['doomed']);
  const { operationId, request, failpoint, inBackground } = order;
  configureFailpoint(failpoint);
  await harness.call(principal, operationId, request);
  if (inBackground) await new Promise((resolve) => setTimeout(resolve, BACKGROUND_MS));
  throw new Error(`${operationId} got past ${failpoint}`);
}

const [, , order] = process.argv;
if (require.main === module && order !== undefined) {
  obey(JSON.parse(order) as CrashOrder).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  });
}
