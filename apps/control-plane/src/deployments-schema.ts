import { DeploymentSecret } from './deployments/deployment-secret.entity';
import { Deployment } from './deployments/deployment.entity';
import { EnvVariable } from './env-variables/env-variable.entity';
import { EnvironmentToken } from './environments/environment-token.entity';
import { CreateDeployments1700100000000 } from './migrations/pre-deploy/1700100000000-CreateDeployments.migration';
import { DeploymentVersionUse } from './versions/deployment-version-use.entity';

/** What the control plane keeps about deployments. */
export const deploymentEntities = [Deployment, DeploymentSecret, DeploymentVersionUse, EnvVariable, EnvironmentToken];

export const deploymentMigrations = [CreateDeployments1700100000000];
