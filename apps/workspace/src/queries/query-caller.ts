import type { Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';

/** Whoever runs queries, and where. */
export interface QueryCaller {
  principal: Principal;
  deploymentId: number;
  environment: Schemas['LocatedEnvironment'];
  securityContext: Record<string, unknown>;
  /** Whether nobody of the tenant may download data. */
  isDownloadRestricted: boolean;
  /** Whether the account has Python programs of its reports run. */
  isPythonEnabled: boolean;
  /** In which the tenant wants times shown, when it says so. */
  timeZone: string | null;
}
