import type { V1ContainerStatus, V1Deployment, V1Pod } from '@kubernetes/client-node';

/** What of an engine's pod counts here. `why` is a sentence for users. */
export type PodState =
  | { kind: 'starting'; pod?: string | undefined; restarts: number; why?: string | undefined }
  | { kind: 'ready'; pod: string; restarts: number }
  | { kind: 'failed'; why: string };

const NO_IMAGE = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull']);
const NO_CONTAINER = new Set(['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError']);

/** The state of the newest pod of an engine. */
export function podStateOf(pods: readonly V1Pod[]): PodState {
  const [newest] = pods.filter(({ metadata }) => !metadata?.deletionTimestamp).sort(byAge);
  if (!newest) return { kind: 'starting', restarts: 0 };
  const [container] = newest.status?.containerStatuses ?? [];
  const failure = failureOf(container);
  if (failure) return { kind: 'failed', why: failure };
  const pod = newest.metadata?.name ?? '';
  const restarts = container?.restartCount ?? 0;
  const isReady = newest.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
  if (isReady) return { kind: 'ready', pod, restarts };
  return { kind: 'starting', pod, restarts, why: whyNotReady(newest) };
}

/** Why a deployment gets no pods; undefined when that is not known. */
export function refusalOf(deployment: V1Deployment | undefined): string | undefined {
  const refused = deployment?.status?.conditions?.find(
    ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
  );
  return refused && `The cluster takes no more engines (${refused.reason ?? 'no reason given'})`;
}

/** How the container ended that has been started again, as a sentence. */
export function endOf(pods: readonly V1Pod[]): string {
  const last = pods
    .flatMap(({ status }) => status?.containerStatuses ?? [])
    .map(({ lastState, state }) => lastState?.terminated ?? state?.terminated)
    .find((each) => each !== undefined);
  if (!last) return 'The engine ended';
  if (last.reason === 'OOMKilled') return 'The engine ended (out of memory)';
  return `The engine ended (${last.signal ? `signal ${last.signal}` : `status ${last.exitCode}`})`;
}

const byAge = (left: V1Pod, right: V1Pod): number => timeOf(right) - timeOf(left);
const timeOf = ({ metadata }: V1Pod): number => new Date(metadata?.creationTimestamp ?? 0).getTime();

function failureOf(container: V1ContainerStatus | undefined): string | undefined {
  const { reason = '' } = container?.state?.waiting ?? {};
  if (NO_IMAGE.has(reason)) return `The image ${container?.image} of the engine cannot be pulled (${reason})`;
  if (NO_CONTAINER.has(reason)) return `The engine's container cannot be made (${reason})`;
  return undefined;
}

function whyNotReady({ status }: V1Pod): string | undefined {
  const unscheduled = status?.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False');
  return unscheduled && 'no node of the cluster has room for it';
}
