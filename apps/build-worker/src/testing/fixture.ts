import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Principal } from '@plinth/auth';
import type { Environment } from '@plinth/config';
import { operation, validateReply, type OperationId, type Schemas } from '@plinth/contract';
import type { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { RepositoryStore, type BareRepository } from '@plinth/git';
import { createTestDatabase, testEncryptionKey, until } from '@plinth/testing';
import { buildWorkerSchema } from '../build-worker.schema';
import { repositoryId } from '../data-models';
import {
  deploymentOf,
  startHarness,
  userOf,
  type ContentCheck,
  type Deployment,
  type Harness,
  type Premises,
  type Request,
} from './worker-harness';

/** Build workers on a database and a storage folder of their own. */
export interface Fixture extends Harness {
  database: Database;
  premises: Premises;
  /** A deployment of a tenant that nobody else uses, and its administrator. */
  newDeployment(more?: Partial<Deployment>): { admin: Principal; path: { deploymentId: number } };
  /** A further deployment of somebody's tenant. */
  anotherDeployment(admin: Principal): { admin: Principal; path: { deploymentId: number } };
  /** Changes what the control plane says of a deployment; null makes it forget the deployment. */
  redescribe(deploymentId: number, changes: Partial<Deployment> | null): void;
  /** The error that a call is refused with. */
  refusal(principal: Principal, operationId: OperationId, request?: Request): Promise<AppError>;
  repositoryOf(admin: Principal, deploymentId: number): Promise<BareRepository>;
  /** Paths of all files of a branch, with leading slashes. */
  filesOf(admin: Principal, deploymentId: number, branchName: string): Promise<Record<string, string>>;
}

const FIRST_TENANT = 1_000;

export async function startFixture(
  workerIds?: readonly string[],
  environment: Environment = {},
  contentCheck?: ContentCheck,
  variables?: Premises['variables'],
): Promise<Fixture> {
  const { url, database, drop } = await createTestDatabase(buildWorkerSchema);
  const storageRoot = mkdtempSync(join(tmpdir(), 'plinth-storage-'));
  const premises = {
    databaseUrl: url,
    encryptionKey: testEncryptionKey,
    storageRoot,
    environment,
    ...(contentCheck && { contentCheck }),
    ...(variables && { variables }),
  };
  const deployments = new Map<number, Deployment>();
  const harness = await startHarness(premises, deployments, workerIds);
  const store = new RepositoryStore({ root: storageRoot });

  const call: Harness['call'] = async (principal, operationId, request) => {
    const reply = await harness.call(principal, operationId, request);
    expect(validateReply(operationId, operation(operationId).successStatus, reply)).toEqual([]);
    return reply;
  };
  return {
    database,
    premises,
    logged: () => harness.logged(),
    lines: harness.lines,
    call,
    newDeployment: (more) => {
      const id = deployments.size + 1;
      const tenantId = FIRST_TENANT + id;
      deployments.set(id, deploymentOf(tenantId, id, more));
      return { admin: userOf(tenantId, id * 10), path: { deploymentId: id } };
    },
    anotherDeployment: (admin) => {
      const id = deployments.size + 1;
      deployments.set(id, deploymentOf(admin.tenantId, id));
      return { admin, path: { deploymentId: id } };
    },
    redescribe: (deploymentId, changes) => {
      const known = deployments.get(deploymentId);
      if (changes === null || !known) deployments.delete(deploymentId);
      else deployments.set(deploymentId, { ...known, ...changes });
    },
    refusal: (principal, operationId, request) =>
      harness.call(principal, operationId, request).then(
        () => Promise.reject(new Error(`${operationId} was not refused`)),
        (thrown: unknown) => (thrown instanceof AppError ? thrown : Promise.reject(thrown as Error)),
      ),
    repositoryOf: ({ tenantId }, deploymentId) => store.open(repositoryId(tenantId, deploymentId)),
    filesOf: async (admin, deploymentId, branchName) => {
      const query = { branchName, withContent: true };
      const { items } = await call(admin, 'listFiles', { path: { deploymentId }, query });
      return Object.fromEntries(leavesOf(items));
    },
    stop: async () => {
      await harness.stop();
      await store.close();
      await drop();
      rmSync(storageRoot, { recursive: true });
    },
  };
}

const leavesOf = (nodes: readonly Schemas['SourceTreeNode'][]): [string, string][] =>
  nodes.flatMap(({ path, content, children }) => (children ? leavesOf(children) : [[path, content ?? '']]));

/** Polls until the value passes; fails the test with the last value otherwise. */
export const eventually = <T>(read: () => Promise<T>, passes: (value: T) => boolean): Promise<T> =>
  until('what is read', read, passes);

export const put = (path: string, content: string) => ({ files: [{ path, content }] });

export const cube = (name: string): string =>
  `cubes:\n  - name: ${name}\n    sql_table: ${name}\n    dimensions:\n      - name: id\n        sql: id\n        type: number\n        primary_key: true\n`;
