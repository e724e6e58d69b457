import type { DomainSchema } from '../kernel';
import { EnvironmentToken } from './data-tokens/environment-token.entity';
import { Deployment } from './deployments/deployment.entity';
import { EnvVariable } from './env-variables/env-variable.entity';
import { DeploymentSecret } from './secrets/deployment-secret.entity';
import { DeploymentVersionUse } from './versions/deployment-version-use.entity';
import { CreateDeployments1700100000000 } from './migrations/pre-deploy/1700100000000-CreateDeployments.migration';
import { RotateDeploymentSecrets1700910000000 } from './migrations/pre-deploy/1700910000000-RotateDeploymentSecrets.migration';
import { UniqueCustomDomains1701200000000 } from './migrations/pre-deploy/1701200000000-UniqueCustomDomains.migration';

import { AllowChatTokens1701530000000 } from './migrations/pre-deploy/1701530000000-AllowChatTokens.migration';

/** What the control plane keeps about deployments. */
export const deploymentsSchema = {
  entities: [Deployment, DeploymentSecret, DeploymentVersionUse, EnvVariable, EnvironmentToken],
  migrations: [
    CreateDeployments1700100000000,
    RotateDeploymentSecrets1700910000000,
    UniqueCustomDomains1701200000000,
    AllowChatTokens1701530000000,
  ],
  retention: [
    { table: 'environment_token', expired: 'expires_at < now()' },
    { table: 'previous_deployment_secret', expired: 'expires_at < now()' },
  ],
} satisfies DomainSchema;
