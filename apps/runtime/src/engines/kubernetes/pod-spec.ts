import type { V1Container, V1PodSpec, V1VolumeProjection } from '@kubernetes/client-node';
import { EngineFailed } from '../engine-driver';
import { CONFIGURATION_FOLDER, MODEL_FOLDER } from './cube-configuration';
import { ENGINE_PORT } from './engine-port';

export interface PodOptions {
  /** Repository of the official image, without its tag. */
  image: string;
  pullSecrets: readonly string[];
  /** Processor time that is kept for an engine, as Kubernetes writes it. */
  cpu: string;
  /** Memory that is kept for an engine, and the most that it gets, in MiB. */
  memoryMb: number;
}

/** What a pod runs, and what is mounted into it. */
export interface PodContent {
  name: string;
  version: string;
  /** Parts of the model's archive. */
  parts: number;
  tokenFolder: string;
}

/** Behind an engine's name: the Secret with its OIDC tokens. */
export const TOKENS_SUFFIX = '-tokens';
/** Name of the container in an engine's pod. */
export const CONTAINER = 'engine';
const VERSION = /^\d+\.\d+\.\d+$/;
/** User of the image's base that may do nothing else. */
const USER = 1_000;
const READ_ONLY = 0o400;
const HEAP_SHARE = 0.75;
const STARTS_WITHIN_S = 600;
const PROBE_S = 2;
/** Queries that run get this long, and a margin, when an engine ends. */
const GRACE_S = 30;

/** @throws EngineFailed for a version without an image */
export function podSpec(content: PodContent, options: PodOptions): V1PodSpec {
  const { name, parts } = content;
  const configuration: V1VolumeProjection[] = [
    { configMap: { name: `${name}-configuration` } },
    ...Array.from({ length: parts }, (_, index) => ({
      configMap: { name: `${name}-model-${index}`, items: [{ key: 'part', path: `${MODEL_FOLDER}/${index}` }] },
    })),
  ];
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: GRACE_S,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      fsGroup: USER,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(options.pullSecrets.length > 0 && {
      imagePullSecrets: options.pullSecrets.map((secret) => ({ name: secret })),
    }),
    containers: [containerOf(content, options)],
    volumes: [
      { name: 'configuration', projected: { sources: configuration } },
      { name: 'tokens', secret: { secretName: `${name}${TOKENS_SUFFIX}`, defaultMode: READ_ONLY } },
      { name: 'tmp', emptyDir: { sizeLimit: '256Mi' } },
    ],
  };
}

function containerOf({ name, version, tokenFolder }: PodContent, { image, cpu, memoryMb }: PodOptions): V1Container {
  if (!VERSION.test(version)) throw new EngineFailed(`There is no image of the version ${version}`);
  // It does not tell of the database, whose errors are replies to queries.
  const answers = { httpGet: { path: '/readyz', port: 'http' }, timeoutSeconds: 5 };
  const memory = `${memoryMb}Mi`;
  return {
    name: CONTAINER,
    image: `${image}:v${version}`,
    imagePullPolicy: 'IfNotPresent',
    env: [{ name: 'NODE_OPTIONS', value: `--max-old-space-size=${Math.floor(memoryMb * HEAP_SHARE)}` }],
    envFrom: [{ secretRef: { name } }],
    ports: [{ name: 'http', containerPort: ENGINE_PORT, protocol: 'TCP' }],
    startupProbe: { ...answers, periodSeconds: PROBE_S, failureThreshold: STARTS_WITHIN_S / PROBE_S },
    readinessProbe: { ...answers, periodSeconds: PROBE_S, failureThreshold: 3 },
    livenessProbe: { ...answers, periodSeconds: 10, failureThreshold: 6 },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    resources: { requests: { cpu, memory }, limits: { memory } },
    volumeMounts: [
      { name: 'configuration', mountPath: CONFIGURATION_FOLDER, readOnly: true },
      { name: 'tokens', mountPath: tokenFolder, readOnly: true },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  };
}
