import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';

/** What dbt says, as people may read it. */
export interface DbtLine {
  level: 'info' | 'error';
  message: string;
  /** Name of dbt's event; null for what is none. */
  event: string | null;
}

/** What nobody may read in what dbt says. */
export interface Secrets {
  /** Of the variables of the project. */
  values: readonly string[];
  /** Where dbt and Python are on this machine: a traceback names them. */
  folders: readonly string[];
}

const eventSchema = z.object({ info: z.object({ name: z.string(), level: z.string(), msg: z.string() }) });

/** Events that tell how far dbt is; the others are noise. */
const SHOWN = new Set(['MainReportVersion', 'AdapterRegistered', 'ParsePerfInfoPath']);
const MAX_MESSAGE = 2_000;
/** Shorter values would take letters out of words. */
const SHORTEST_SECRET = 4;
const SCRATCH = /(\/[\w.-]+)*\/(project|work|target|logs)\//g;

/** A line of dbt's JSON log; undefined for what nobody needs. */
export function dbtLine(text: string, secrets: Secrets): DbtLine | undefined {
  const event = parsed(text);
  if (!event) return undefined;
  const { name, level, msg } = event.info;
  const isProblem = level === 'error' || level === 'warn';
  if (!isProblem && !SHOWN.has(name)) return undefined;
  const message = name === 'ParsePerfInfoPath' ? 'The project is read' : redacted(msg, secrets);
  return { level: level === 'error' ? 'error' : 'info', message, event: name };
}

/** Without values of variables, folders of the sandbox and those of the machine. */
export function redacted(text: string, { values, folders }: Secrets): string {
  const hidden = values.filter((value) => value.length >= SHORTEST_SECRET);
  const plain = hidden.reduce((rest, value) => rest.replaceAll(value, '***'), stripVTControlCharacters(text));
  // The longest first: one may be in another.
  const inOrder = folders.filter((folder) => folder !== '').sort((a, b) => b.length - a.length);
  return inOrder
    .reduce((rest, folder) => rest.replaceAll(`${folder}/`, ''), plain)
    .replace(SCRATCH, '')
    .trim()
    .slice(0, MAX_MESSAGE);
}

function parsed(text: string): z.infer<typeof eventSchema> | undefined {
  try {
    return eventSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
