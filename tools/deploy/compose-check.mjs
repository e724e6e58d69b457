import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { composeSchema } from './compose-schema.mjs';
import { declaredSettings, isDeclared } from './declared-settings.mjs';
import { dockerfile } from './dockerfile-check.mjs';
import { read, root, services } from './tree.mjs';

const composeFile = 'docker-compose.yml';
const published = 'gateway';
const scaled = 'build-worker';
const secretsFolder = /^\/run\/secrets\/(\w+)$/;

export function composeProblems(stages) {
  const compose = parse(read(composeFile), { merge: true });
  const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(composeSchema);
  const problems = validate(compose)
    ? [...referenceProblems(compose, stages), ...interpolationProblems()]
    : validate.errors.map(({ instancePath, message, params }) => {
        return `${instancePath || '/'} ${message} ${params.additionalProperty ?? ''}`.trimEnd();
      });
  return problems.map((problem) => `${composeFile}: ${problem}`);
}

function referenceProblems(compose, stages) {
  const settings = declaredSettings();
  const unused = (kind, isUsed) =>
    Object.keys(compose[kind] ?? {})
      .filter((name) => !isUsed(name))
      .map((name) => `${kind} has ${name}, which nobody uses`);
  const all = Object.values(compose.services);
  return [
    ...services.filter((name) => !compose.services[name]).map((name) => `there is no service ${name}`),
    ...Object.entries(compose.services).flatMap(([name, service]) =>
      [
        ...imageProblems(name, service, stages),
        ...dependencyProblems(compose, service),
        ...storageProblems(compose, service),
        ...environmentProblems(service, settings),
        ...portProblems(name, service),
      ].map((problem) => `${name} ${problem}`),
    ),
    ...unused('secrets', (name) => all.some(({ secrets = [] }) => secrets.includes(name))),
    ...unused('volumes', (name) =>
      all.some(({ volumes = [] }) => volumes.some((mount) => mount.startsWith(`${name}:`))),
    ),
  ];
}

function imageProblems(name, { image, build, healthcheck }, stages) {
  if (build) {
    if (build.dockerfile !== dockerfile) return [`is not built from ${dockerfile}`];
    return build.target === name && stages.has(name) ? [] : [`builds the target ${build.target}`];
  }
  return [
    ...(/:\d[\w.-]*$/.test(image ?? '') ? [] : [`runs ${image}: pin a version`]),
    ...(healthcheck ? [] : ['has no health check']),
  ];
}

const dependencyProblems = (compose, { depends_on: dependencies = {} }) =>
  Object.keys(dependencies)
    .filter((name) => !compose.services[name])
    .map((name) => `depends on ${name}, which is no service`);

function storageProblems(compose, { volumes = [], secrets = [], environment = {} }) {
  const mounted = Object.values(environment).flatMap((value) => secretsFolder.exec(value)?.[1] ?? []);
  return [
    ...volumes.flatMap((mount) => {
      const [source] = mount.split(':');
      const known = source.startsWith('.') ? existsSync(join(root, source)) : source in (compose.volumes ?? {});
      return known ? [] : [`mounts ${source}, which is neither a file here nor a declared volume`];
    }),
    ...secrets
      .filter((name) => !compose.secrets?.[name])
      .map((name) => `uses the secret ${name}, which is not declared`),
    ...mounted.filter((name) => !secrets.includes(name)).map((name) => `reads the secret ${name} without mounting it`),
  ];
}

const environmentProblems = ({ environment = {} }, settings) =>
  Object.keys(environment)
    .filter((variable) => variable.startsWith('PLINTH_') && !isDeclared(settings, variable))
    .map((variable) => `sets ${variable}, which no code declares`);

function portProblems(name, { ports = [], volumes = [] }) {
  const problems = ports.length > 0 && name !== published ? ['publishes a port: only the gateway may'] : [];
  if (name === scaled && volumes.some((mount) => mount.startsWith('.')))
    problems.push('needs named volumes, to be scaled');
  return problems;
}

/** A variable either has a default or stops the start with a message. */
const interpolationProblems = () =>
  [...read(composeFile).matchAll(/\$\{([^}]*)\}/g)]
    .filter(([, expression]) => !/^\w+:(-|\?)/.test(expression))
    .map(([expression]) => `${expression} has neither a default (:-) nor a message (:?)`);
