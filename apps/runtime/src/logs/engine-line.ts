/** What the log of an environment is told of an engine. */
export interface EngineLine {
  place: { tenantId: number; deploymentId: number; environmentId: number };
  pod: string;
  /** `INIT` for its start and end, as the runtime sees them. */
  container: 'INIT' | 'cubejs-server';
  message: string;
}
