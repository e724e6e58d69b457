import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Policy } from '@plinth/auth';
import { operation, type OperationId } from '@plinth/contract';
import { exampleRequest, type ExampleRequest } from './example-request';

/** Least first, so that what administrators change disturbs nobody. */
export const matrixRoles = ['No tier', 'Analyst', 'Viewer', 'Explorer', 'Developer', 'Admin'] as const;

export type MatrixRole = (typeof matrixRoles)[number];

/** Embed users, by the credential of a session. */
export const embedRoles = ['Embed user', 'Embed creator'] as const;

const EMBED_SESSIONS = '\n## Embed sessions\n';

/** Rows of a table: `yes` or `no` for each role, by operation. */
type Matrix = Map<string, ReadonlyMap<string, string>>;

/** Who decides on a refusal: the gateway, or the service behind it. */
type Layer = 'gateway' | 'service';

/** Rows of the reviewed table (docs/permission-matrix.md), as a layer has them: `yes` or `no` for each role, by operation. */
export const readPermissionMatrix = (layer: Layer): Matrix => tableFor(layer, 0);

/** Rows of the table of what embed sessions reach, as a layer has them; operations without a row are not reached. */
export const readEmbedMatrix = (layer: Layer): Matrix => tableFor(layer, 1);

function tableFor(layer: Layer, section: number): Matrix {
  const refusedBehind = layer === 'gateway' ? 'yes' : 'no';
  const asSeen = (cells: ReadonlyMap<string, string>) =>
    new Map([...cells].map(([role, cell]) => [role, cell === 'no*' ? refusedBehind : cell]));
  return new Map([...tableIn(section)].map(([operationId, cells]) => [operationId, asSeen(cells)]));
}

function tableIn(section: number): Matrix {
  const text = readFileSync(resolve(__dirname, '../../../docs/permission-matrix.md'), 'utf8');
  const [head, , ...rows] = (text.split(EMBED_SESSIONS)[section] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const columns = head?.slice(2, -1) ?? [];
  return new Map(
    rows.map(([, operationId = '', ...cells]) => [
      operationId.replaceAll('`', ''),
      new Map(columns.map((role, index) => [role, cells[index] ?? ''])),
    ]),
  );
}

/** Policies of the roles of the matrix that are not built in; undefined for those that are. */
export function customPolicies(role: MatrixRole, deploymentId: number): Policy[] | undefined {
  const onDeployment: Policy = {
    resourceType: 'Deployment',
    actions: ['DeploymentRead', 'SchemaRead'],
    resources: [String(deploymentId)],
  };
  const tier: Policy = { resourceType: 'Global', actions: ['AIBIView'], resources: ['All'] };
  if (role === 'No tier') return [onDeployment];
  return role === 'Analyst' ? [tier, onDeployment] : undefined;
}

/** Deletions last, so that there is something to ask for. */
const deletionsLast = (ids: readonly OperationId[]): OperationId[] =>
  [...ids].sort((left, right) => Number(deletes(left)) - Number(deletes(right)));

const deletes = (operationId: OperationId): boolean => /^(delete|bulk)/.test(operationId);

/** The example of the contract, about the caller's own things. */
export function matrixRequest(
  operationId: OperationId,
  targets: Readonly<Record<string, string | number>>,
): ExampleRequest<OperationId> {
  const request = exampleRequest(operationId, targets);
  const ownBodies: Partial<Record<OperationId, object>> = {
    createApiKey: { name: 'mine', deploymentIds: [Number(targets['deploymentId'])] },
    // The example's users could be those of other callers.
    bulkUserAction: { action: 'DEACTIVATE', userIds: [999_999_999] },
  };
  const body = ownBodies[operationId];
  return { ...request, ...(body && { body }) } as ExampleRequest<OperationId>;
}

/** Operations as cases for `it.each`, deletions last. */
export const casesOf = (ids: readonly OperationId[]): [OperationId][] =>
  deletionsLast(ids).map((operationId) => [operationId]);

/** What a refusal of access looks like, whatever form its body has. */
export const isAccessRefusal = (operationId: OperationId, status: number, code = ''): boolean =>
  status === 403 && (code.startsWith('access.') || operation(operationId).service === 'scim');
