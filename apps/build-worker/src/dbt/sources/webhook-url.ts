/** Where the repository of a dbt project tells of pushes, relative to the API. */
export const webhookUrlOf = (deploymentId: number): string => `/api/v1/deployments/${deploymentId}/dbt-sync/webhook`;
