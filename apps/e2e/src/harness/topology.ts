import type { LoggedProcess } from './child-service';
import type { ApiClient } from './api-client';

/** A running platform, in whatever number of processes. */
export interface Topology {
  name: string;
  /** The tenant that the tests work in. */
  tenant: string;
  /** Client of that tenant, with its administrator's key. */
  admin: ApiClient;
  /** Runs the operator's command and returns the JSON line that it prints. */
  plinth(...words: string[]): Promise<Record<string, unknown>>;
  /** Settings of the platform, with which its operator runs commands. */
  environment: Record<string, string>;
  /** Processes by service; the one-process platform has one named `platform`. */
  processes: ReadonlyMap<string, LoggedProcess>;
  stop(): Promise<void>;
}

/** API key of the administrator of `local` in every topology. */
export const adminKey = 'sk-e2eAdministratorKey0000000000000000000001';
