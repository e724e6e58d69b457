export { deploymentProblems, deploymentSettings } from './deployments.config';
export { ContextAdditions, type ContextOwner } from './data-tokens/context-additions';
export { OwnContexts } from './data-tokens/own-contexts.service';
export { DeploymentsDomain } from './deployments.module';
export { deploymentsSchema } from './deployments.schema';
export { DeploymentHosts } from './deployments/deployment-hosts.service';
export { DeploymentsRepository } from './deployments/deployments.repository';
export { EnvVariablesRepository } from './env-variables/env-variables.repository';
export { deploymentNotFound } from './secrets/deployment-errors';
