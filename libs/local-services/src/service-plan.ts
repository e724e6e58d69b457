/** How many processes there are of services that divide their work among replicas. */
export interface ProcessCounts {
  buildWorkers: number;
  runtimes: number;
}

/** Services of which there is one process each, beside the control plane and the gateway. */
const SINGLE = ['workspace', 'embed', 'agents', 'scim'] as const;

/**
 * Names of the processes of an installation, the gateway last: those of replicas are numbered, `build-worker-1`.
 *
 * @param single - which services of no replicas there are beside the control plane and the gateway: by default all
 */
export const serviceProcesses = (
  { buildWorkers, runtimes }: ProcessCounts,
  single: readonly (typeof SINGLE)[number][] = SINGLE,
): string[] => [
  'control-plane',
  ...numbered('runtime', runtimes),
  ...single,
  ...numbered('build-worker', buildWorkers),
  'gateway',
];

/** The service that a process is one of: `build-worker-1` of `build-worker`. */
export const serviceOf = (processName: string): string => processName.replace(/-\d+$/, '');

/** What a process has to be told besides the settings that all share: by which name the others know it. */
export const settingsOfProcess = (processName: string): Record<string, string> => ({
  PLINTH_WORKER_ID: processName,
  PLINTH_RUNTIME_ID: processName,
});

const numbered = (service: string, count: number): string[] =>
  Array.from({ length: count }, (_value, index) => `${service}-${index + 1}`);
