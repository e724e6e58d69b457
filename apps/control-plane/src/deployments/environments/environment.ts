import type { Schemas } from '@plinth/contract';
import type { CursorPosition } from '@plinth/database';
import type { DeploymentAddresses } from '../deployments/deployment-addresses';
import type { DeploymentOutline } from '../deployments/deployment.entity';

type Branch = Schemas['BranchDescription'];
type EnvironmentType = Schemas['EnvironmentType'];

/** A branch that is being served; its id is the branch's. */
export interface Environment {
  id: number;
  type: EnvironmentType;
  branch: string;
  user: string | null;
  /** Who develops in it; null for what everybody shares. */
  ownerUserId: number | null;
  restUrl: string;
  sql: { host: string; port: number; database: string };
}

const order: readonly EnvironmentType[] = ['production', 'staging', 'development'];

/** Production first, then staging, then development, each from the oldest branch on. */
export const positionOf = ({ type, id }: Environment): CursorPosition => [order.indexOf(type), id];

/** Production always, a shared branch while its staging environment is on, every dev branch. */
export function environmentsOf(
  deployment: DeploymentOutline,
  branches: readonly Branch[],
  addresses: DeploymentAddresses,
): Environment[] {
  return branches
    .flatMap((branch) => {
      const type = typeOf(branch);
      return type ? [environmentOf(deployment, branch, type, addresses)] : [];
    })
    .sort((left, right) => order.indexOf(left.type) - order.indexOf(right.type) || left.id - right.id);
}

/** What serves a branch; undefined for nothing. */
export function typeOf({ kind, isStagingEnvironmentEnabled }: Branch): EnvironmentType | undefined {
  if (kind === 'deploy') return 'production';
  if (kind === 'dev') return 'development';
  return isStagingEnvironmentEnabled ? 'staging' : undefined;
}

function environmentOf(
  deployment: DeploymentOutline,
  { id, name, ownerEmail, ownerUserId }: Branch,
  type: EnvironmentType,
  addresses: DeploymentAddresses,
): Environment {
  const isProduction = type === 'production';
  return {
    id,
    type,
    branch: name,
    user: type === 'development' ? ownerEmail : null,
    ownerUserId: type === 'development' ? ownerUserId : null,
    restUrl: addresses.restUrl(deployment, isProduction ? undefined : name),
    sql: { ...addresses.sql(deployment), database: isProduction ? 'cube' : `dev-mode/${name}` },
  };
}

/** A development environment belongs to one user. */
export const isOfAnother = ({ type, ownerUserId }: Environment, userId: number | null): boolean =>
  type === 'development' && (ownerUserId === null || ownerUserId !== userId);

export const toContractEnvironment = ({
  id,
  type,
  branch,
  user,
  restUrl,
  sql,
}: Environment): Schemas['Environment'] => ({
  id: String(id),
  type,
  branch,
  user,
  api_credentials: [
    { type: 'rest', version: 1, url: restUrl },
    { type: 'sql', version: 1, ...sql },
  ],
});

export const toLegacyEnvironment = (environment: Environment): Schemas['LegacyEnvironment'] => {
  const { id, type, branch, restUrl, sql } = environment;
  const { host, port } = sql;
  return { id: String(id), name: branch, type, api_credentials: { rest: { url: restUrl }, sql: { host, port } } };
};
