import type { RetentionRule } from '@plinth/database';
import { DeploymentSecret } from './deployments/deployment-secret.entity';
import { Deployment } from './deployments/deployment.entity';
import { EnvVariable } from './env-variables/env-variable.entity';
import { EnvironmentToken } from './environments/environment-token.entity';
import { CreateDeployments1700100000000 } from './migrations/pre-deploy/1700100000000-CreateDeployments.migration';
import { RotateDeploymentSecrets1700910000000 } from './migrations/pre-deploy/1700910000000-RotateDeploymentSecrets.migration';
import { DeploymentVersionUse } from './versions/deployment-version-use.entity';

/** What the control plane keeps about deployments. */
export const deploymentEntities = [Deployment, DeploymentSecret, DeploymentVersionUse, EnvVariable, EnvironmentToken];

export const deploymentMigrations = [CreateDeployments1700100000000, RotateDeploymentSecrets1700910000000];

/** What housekeeping deletes of it. */
export const deploymentRetention: readonly RetentionRule[] = [
  { table: 'environment_token', expired: 'expires_at < now()' },
  { table: 'previous_deployment_secret', expired: 'expires_at < now()' },
];
