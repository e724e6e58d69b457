import type { ConfigOf, Settings } from '@plinth/config';
import type { Bus } from '@plinth/messaging';
import type { Logger, ReadinessCheck } from '@plinth/observability';
import type { Registry } from 'prom-client';
import type { Sandboxes } from './sandboxes';

/** What a service gets from the process that it runs in. */
export interface Runtime<S extends Settings> {
  config: ConfigOf<S>;
  bus: Bus;
  logger: Logger;
  metrics: Registry;
  /** For services that run programs of users. */
  sandboxes: Sandboxes;
}

export interface RunningService {
  checks: Readonly<Record<string, ReadinessCheck>>;
  /** Address for people, where the service has one. */
  url?: string;
  /** Stops accepting, finishes what runs, lets go of everything. */
  close(): Promise<void>;
}

/** A service as a process runs it: alone (`runProcess`) or beside others (apps/platform). */
export interface ServiceDefinition<S extends Settings = Settings> {
  name: string;
  settings: S;
  /** What is wrong with values that are right by themselves: lines that begin with the variable, without values. */
  problems?(config: ConfigOf<S>): readonly string[];
  /** Loads the program of the service, which holds the processor for a while: to be called before anything is waited for. */
  load(): void;
  start(runtime: Runtime<S>): Promise<RunningService>;
}
