import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { declaredSettings, isDeclared } from './declared-settings.mjs';
import { manifestValidator } from './manifest-schemas.mjs';
import { queryProblems } from './metrics-check.mjs';
import { read, root, services } from './tree.mjs';

const secretsFolder = '/run/secrets/plinth/';
const validate = manifestValidator();
const settings = declaredSettings();

/** What is wrong with the manifests of one installation: their form, their references, their safety. */
export function manifestProblems(manifests) {
  const ofKind = (kind) => manifests.filter((manifest) => manifest.kind === kind);
  const deployments = ofKind('Deployment');
  return [
    ...manifests.flatMap((manifest) => validate(manifest).map((problem) => `${titleOf(manifest)}: ${problem}`)),
    ...duplicates(manifests.map(titleOf)).map((title) => `${title} is rendered twice`),
    ...services.flatMap((service) => serviceProblems(service, deployments)),
    ...deployments.flatMap((deployment) => selectionProblems(deployment, ofKind)),
    ...egressProblems(ofKind('NetworkPolicy')),
    ...claimProblems(deployments, ofKind('PersistentVolumeClaim')),
    ...scalingProblems(deployments, [...ofKind('ScaledObject'), ...ofKind('HorizontalPodAutoscaler')]),
  ];
}

const titleOf = ({ kind, metadata }) => `${kind} ${metadata?.name}`;
const componentOf = ({ spec }) => spec.template.metadata.labels['app.kubernetes.io/component'];
const duplicates = (all) => all.filter((item, index) => all.indexOf(item) !== index);
const matches = (selector, labels) => Object.entries(selector ?? {}).every(([name, value]) => labels[name] === value);

function serviceProblems(service, deployments) {
  const own = deployments.filter((deployment) => componentOf(deployment) === service);
  if (own.length !== 1) return [`${service} has ${own.length} deployments`];
  const pod = own[0].spec.template.spec;
  const [container] = pod.containers;
  return [
    ...safetyProblems(pod, container),
    ...(existsSync(programOf(container)) ? [] : ['starts no program']),
    ...environmentProblems(service, pod, container),
    ...endingProblems(pod, container),
    ...(pod.initContainers ?? []).flatMap(sandboxProblems),
  ].map((problem) => `${service} ${problem}`);
}

const programOf = ({ args }) => join(root, args[1].replace(/^dist\//, '').replace(/\.js$/, '.ts'));

/** What is unsafe about a pod with one container that counts. */
export function safetyProblems(pod, { securityContext = {}, resources, ...container }) {
  const demands = {
    'may run as root': pod.securityContext?.runAsNonRoot === true && pod.securityContext.runAsUser > 0,
    'has no seccomp profile': pod.securityContext?.seccompProfile?.type === 'RuntimeDefault',
    'mounts a token': pod.automountServiceAccountToken === false,
    'may gain privileges': securityContext.allowPrivilegeEscalation === false,
    'writes to its image': securityContext.readOnlyRootFilesystem === true,
    'keeps capabilities': securityContext.capabilities?.drop?.includes('ALL'),
    'has no memory limit': resources?.limits?.memory && resources.requests?.memory && resources.requests.cpu,
    'lacks a probe': container.startupProbe && container.livenessProbe && container.readinessProbe,
    'has nowhere to write': container.volumeMounts.some(({ mountPath }) => mountPath === '/tmp'),
  };
  return Object.keys(demands).filter((problem) => !demands[problem]);
}

/** Whoever breaks out of a program is in this container, and finds nothing. */
function sandboxProblems({ name, env, volumeMounts, securityContext, restartPolicy, resources }) {
  const demands = {
    'may gain privileges': securityContext.allowPrivilegeEscalation === false,
    'writes to its image': securityContext.readOnlyRootFilesystem === true,
    'keeps capabilities': securityContext.capabilities.drop.includes('ALL'),
    'ends before the worker': restartPolicy === 'Always',
    'has no memory limit': resources.limits.memory,
    'mounts more than its socket and its users': volumeMounts.every((mount) => /^sandbox(-users)?$/.test(mount.name)),
    'has secrets': !env.some((variable) => variable.valueFrom || variable.name.endsWith('_FILE')),
  };
  const problems = Object.keys(demands).filter((problem) => !demands[problem]);
  return [...problems, ...(name === 'sandbox' ? [] : ['is no sandbox'])].map((problem) => `${name} ${problem}`);
}

function environmentProblems(service, pod, { env }) {
  const projected = pod.volumes.find(({ name }) => name === 'secrets').projected.sources;
  const files = projected.flatMap(({ secret }) => secret.items.map(({ path }) => secretsFolder + path));
  const valueOf = (variable) => env.find(({ name }) => name === variable)?.value;
  const user = valueOf('PLINTH_NATS_USER');
  return [
    ...duplicates(env.map(({ name }) => name)).map((name) => `sets ${name} twice`),
    ...env
      .filter(({ name }) => name.startsWith('PLINTH_') && !isDeclared(settings, name))
      .map(({ name }) => `sets ${name}, which no code declares`),
    ...env
      .filter(({ name, value }) => name.endsWith('_FILE') && !files.includes(value))
      .map(({ name, value }) => `reads ${name} from ${value}, which is not mounted`),
    ...env.filter(({ name }) => isSecret(name)).map(({ name }) => `shows ${name} in its environment`),
    ...(read('deploy/nats/nats-server.conf').includes(`user: ${user},`) ? [] : [`is ${user} to NATS, an unknown user`]),
    ...(['gateway', 'scim'].includes(service) && valueOf('PLINTH_DATABASE_URL_FILE')
      ? ['has no business with the database']
      : []),
  ];
}

const isSecret = (name) => /(PASSWORD|ENCRYPTION_KEYS|DATABASE_URL|API_KEY|TLS_KEY)$/.test(name);

/** Running calls must end before the process is killed. */
function endingProblems(pod, { env, lifecycle }) {
  const grace = Number(env.find(({ name }) => name === 'PLINTH_SHUTDOWN_GRACE_MS').value) / 1000;
  const delay = lifecycle?.preStop.sleep.seconds ?? 0;
  return pod.terminationGracePeriodSeconds > grace + delay ? [] : ['is killed before its grace is over'];
}

/** Whatever selects pods must select those of exactly the deployment that it is for. */
function selectionProblems(deployment, ofKind) {
  const service = componentOf(deployment);
  const labels = deployment.spec.template.metadata.labels;
  const selecting = (kind, selectorOf) => ofKind(kind).filter(({ spec }) => matches(selectorOf(spec), labels)).length;
  const budgets = selecting('PodDisruptionBudget', ({ selector }) => selector.matchLabels);
  const reached = selecting('Service', ({ selector }) => selector);
  return [
    ...(matches(deployment.spec.selector.matchLabels, labels) ? [] : [`${service} does not select its own pods`]),
    ...(budgets === 1 ? [] : [`${service} has ${budgets} disruption budgets`]),
    ...(reached === (service === 'gateway' ? 1 : 0) ? [] : [`${service} is reached by ${reached} services`]),
  ];
}

/** Databases of data models have any port. */
function egressProblems(policies) {
  const component = ({ spec }) => spec.podSelector.matchLabels['app.kubernetes.io/component'];
  const runtime = policies.find((policy) => component(policy) === 'runtime');
  if (!runtime || runtime.spec.egress.some(({ ports }) => ports === undefined)) return [];
  return ['runtime reaches no data sources'];
}

function claimProblems(deployments, claims) {
  const made = claims
    .filter(({ spec }) => spec.accessModes.includes('ReadWriteMany'))
    .map(({ metadata }) => metadata.name);
  const storing = deployments.filter(({ spec }) => spec.template.spec.volumes.some((it) => it.persistentVolumeClaim));
  return [
    ...(storing.map(componentOf).join() === 'build-worker'
      ? []
      : ['the repositories are not the build workers’ alone']),
    ...claims.filter(({ metadata }) => !made.includes(metadata.name)).map(titleOf),
  ];
}

function scalingProblems(deployments, scalers) {
  const workers = deployments.find((deployment) => componentOf(deployment) === 'build-worker');
  const fixed = workers?.spec.replicas !== undefined;
  if (scalers.length !== (fixed ? 0 : 1)) return [`${scalers.length} scalers and the chart set the number of workers`];
  return scalers.flatMap(({ spec }) => [
    ...(spec.scaleTargetRef.name === workers.metadata.name ? [] : [`${spec.scaleTargetRef.name} is scaled`]),
    ...(spec.triggers ?? []).flatMap(({ metadata }) => queryProblems(metadata.query)),
  ]);
}
