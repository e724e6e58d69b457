import type { Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';

/** For whom an engine runs queries, and where. */
export interface EngineCaller {
  /** Requests take turns by the credential. */
  principal: Pick<Principal, 'tenantId' | 'credentialId'>;
  deploymentId: number;
  environment: Schemas['LocatedEnvironment'];
  securityContext: Record<string, unknown>;
  /** Largest answer in bytes; `ANSWER_LIMIT_BYTES` where it does not say. */
  answerLimitBytes?: number;
}

/** Whoever runs queries, and what their account says of it. */
export interface QueryCaller extends EngineCaller {
  principal: Principal;
  /** Whether nobody of the tenant may download data. */
  isDownloadRestricted: boolean;
  /** Whether the account has Python programs of its reports run. */
  isPythonEnabled: boolean;
  /** In which the tenant wants times shown, when it says so. */
  timeZone: string | null;
}
