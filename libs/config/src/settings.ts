import { readFileSync } from 'node:fs';
import { nearestName } from '@plinth/contract';
import { z } from 'zod';

/** One setting: the environment variable that holds it, its form and default, and a sentence for the operator. */
export interface Setting<T> {
  variable: string;
  schema: z.ZodType<T>;
  description: string;
  secret: boolean;
}

export type Settings = Record<string, Setting<unknown>>;

/** The parsed values of a group of settings. */
export type ConfigOf<S extends Settings> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };

export type Environment = Readonly<Record<string, string | undefined>>;

/** Thrown at start; its message lists every wrong setting with its variable. Values are never shown. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * Declares a setting. Variables are named `PLINTH_<AREA>_<NAME>_<UNIT>`; every one may also be given as
 * `<VARIABLE>_FILE`, the path of a file that holds the value.
 */
export const setting = <T>(variable: string, schema: z.ZodType<T>, description: string): Setting<T> => ({
  variable,
  schema,
  description,
  secret: false,
});

/** As {@link setting}, for a value that must not be printed. */
export const secretSetting = <T>(variable: string, schema: z.ZodType<T>, description: string): Setting<T> => ({
  ...setting(variable, schema, description),
  secret: true,
});

/** A whole number from text, within bounds. */
export const integer = (minimum: number, maximum: number) => z.coerce.number().int().min(minimum).max(maximum);

/** `true`/`false`, `1`/`0`, `yes`/`no`, `on`/`off`. */
export const flag = () => z.stringbool();

/** Comma-separated text as a list without blanks. */
export const list = () =>
  z.string().transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );

/**
 * Parses settings from the environment, once, at start.
 *
 * @throws ConfigError naming every variable that is missing or wrong.
 */
export function loadConfig<S extends Settings>(settings: S, environment: Environment = process.env): ConfigOf<S> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, declared] of Object.entries(settings)) {
    try {
      values[key] = declared.schema.parse(rawValue(declared.variable, environment));
    } catch (error) {
      problems.push(`${declared.variable}: ${reason(error)}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return values as ConfigOf<S>;
}

/** Settings that are read together, and what has to be right of them together. */
export interface ConfigGroup {
  settings: Settings;
  /** What is wrong with values that are right by themselves: lines that begin with the variable, without values. */
  problems?(config: never): readonly string[];
}

/**
 * Checks all that will be read, so that nothing is started with a part of it.
 *
 * @throws ConfigError naming every variable of every group that is missing or wrong, once, and every one that looks like a
 *   misspelt one of them. Other names are left alone: they can be those of another service.
 */
export function checkConfig(groups: readonly ConfigGroup[], environment: Environment = process.env): void {
  const known = groups.flatMap(({ settings }) => Object.values(settings).map(({ variable }) => variable));
  const problems = new Set([
    ...groups.flatMap((group) => problemsOf(group, environment)),
    ...misspeltProblems(known, environment),
  ]);
  if (problems.size > 0) throw new ConfigError([...problems]);
}

function misspeltProblems(known: readonly string[], environment: Environment): readonly string[] {
  const names = [...new Set(known)];
  const strangers = Object.keys(environment)
    .filter((variable) => variable.startsWith('PLINTH_'))
    .map((variable) => variable.replace(/_FILE$/, ''))
    .filter((variable) => !names.includes(variable) && !names.includes(`${variable}_FILE`));
  return strangers.flatMap((variable) => {
    const meant = nearestName(variable, names);
    return meant === undefined ? [] : [`${variable}: there is no such setting; ${meant} is the nearest name`];
  });
}

function problemsOf(group: ConfigGroup, environment: Environment): readonly string[] {
  try {
    const config = loadConfig(group.settings, environment);
    return group.problems?.(config as never) ?? [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

/** The environment of the process over `defaults`: what an operator set wins, a blank counts as not set. */
export function environmentOver(defaults: Environment): Environment {
  const own = Object.entries(process.env).filter(([, value]) => value !== undefined && value !== '');
  return { ...defaults, ...Object.fromEntries(own) };
}

function rawValue(variable: string, environment: Environment): string | undefined {
  const direct = environment[variable];
  const file = environment[`${variable}_FILE`];
  if (direct !== undefined && direct !== '') return direct;
  return file ? readFileSync(file, 'utf8').trimEnd() : undefined;
}

const reason = (error: unknown): string =>
  error instanceof z.ZodError ? error.issues.map((issue) => issue.message).join('; ') : (error as Error).message;
