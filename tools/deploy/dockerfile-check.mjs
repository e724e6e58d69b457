import { existsSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import { supportedMajors, supportedNodes } from '../nodes/supported.mjs';
import { declaredSettings, isDeclared } from './declared-settings.mjs';
import { read, root, services } from './tree.mjs';

export const dockerfile = 'deploy/docker/Dockerfile';
const instructions = new Set(
  'FROM RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD STOPSIGNAL HEALTHCHECK SHELL'.split(
    ' ',
  ),
);
const isSecret = (name) => /PASSWORD|SECRET|TOKEN|ENCRYPTION|DATABASE_URL|API_KEY|TLS_KEY/.test(name);

/** The stages of the Dockerfile by name, each with its base and its instructions. */
export function readStages() {
  const lines = read(dockerfile)
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages = new Map();
  let current;
  for (const line of lines) {
    const [, instruction, value] = /^(\S+)\s+(.*)$/.exec(line) ?? [line, line, ''];
    if (instruction === 'FROM') {
      const [, base, name] = /^(\S+) AS (\S+)$/.exec(value) ?? [value, value, value];
      current = { base, name, instructions: [] };
      stages.set(name, current);
    } else current?.instructions.push({ instruction, value });
  }
  return stages;
}

/** What applies to a stage, that of its bases first. */
function inherited(stages, { base, instructions: own }) {
  const parent = stages.get(base);
  return parent ? [...inherited(stages, parent), ...own] : own;
}

export function dockerfileProblems(stages) {
  const settings = declaredSettings();
  const targets = [...services, 'sandbox', 'platform'];
  return [
    ...targets.filter((name) => !stages.has(name)).map((name) => `there is no target ${name}`),
    ...[...stages.values()].flatMap((stage) => stageProblems(stages, stage)),
    ...targets.filter((name) => stages.has(name)).flatMap((name) => targetProblems(stages, stages.get(name), settings)),
  ].map((problem) => `${dockerfile}: ${problem}`);
}

function stageProblems(stages, { base, name, instructions: own }) {
  const problems = [];
  if (!stages.has(base)) problems.push(...imageProblems(name, base));
  for (const { instruction, value } of own) {
    if (!instructions.has(instruction)) problems.push(`${name} has ${instruction}, which is no instruction`);
    if (instruction === 'ADD') problems.push(`${name} uses ADD: use COPY`);
    if (instruction === 'COPY') problems.push(...copyProblems(stages, name, value));
  }
  return problems;
}

function imageProblems(name, image) {
  const version = /^node:(\d+\.\d+\.\d+)-[a-z]/.exec(image)?.[1];
  if (!version) return [`${name} is based on ${image}: pin a version of node`];
  const newest = Math.max(...supportedMajors);
  return semver.major(version) === newest && semver.satisfies(version, supportedNodes)
    ? []
    : [`${name} is based on ${image}: images run on Node ${newest}, the newest that engines promises`];
}

function copyProblems(stages, name, value) {
  const from = /--from=(\S+)/.exec(value)?.[1];
  if (from) return stages.has(from) ? [] : [`${name} copies from ${from}, which is no stage`];
  const sources = value
    .split(/\s+/)
    .filter((word) => !word.startsWith('--'))
    .slice(0, -1);
  return sources.flatMap((source) => [
    ...(existsSync(join(root, source)) ? [] : [`${name} copies ${source}, which does not exist`]),
    ...(isSentToEngine(source) ? [] : [`${name} copies ${source}, which .dockerignore leaves out`]),
  ]);
}

/** .dockerignore leaves out everything and names the exceptions. */
const isSentToEngine = (path) =>
  read('.dockerignore')
    .split('\n')
    .some((line) => line.startsWith('!') && `${path}/`.startsWith(`${line.slice(1)}/`));

function targetProblems(stages, stage, settings) {
  const all = inherited(stages, stage);
  const last = (wanted) => all.findLast(({ instruction }) => instruction === wanted)?.value;
  const problems = [];
  if (!last('USER') || /^(root|0)\b/.test(last('USER'))) problems.push('does not end as an ordinary USER');
  if (!last('HEALTHCHECK')) problems.push('has no HEALTHCHECK');
  const entry = `dist/apps/${stage.name}/src/main.js`;
  if (last('CMD') !== `["node", "${entry}"]`) problems.push(`does not start ${entry}`);
  for (const { value } of all.filter(({ instruction }) => instruction === 'ENV' || instruction === 'ARG')) {
    for (const [, variable] of value.matchAll(/(\w+)=/g)) {
      if (isSecret(variable)) problems.push(`puts ${variable} into a layer`);
      if (variable.startsWith('PLINTH_') && !isDeclared(settings, variable)) {
        problems.push(`sets ${variable}, which no code declares`);
      }
    }
  }
  return problems.map((problem) => `${stage.name} ${problem}`);
}
