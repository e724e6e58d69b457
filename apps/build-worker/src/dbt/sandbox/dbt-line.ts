import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';

/** What dbt says, as people may read it. */
export interface DbtLine {
  level: 'info' | 'error';
  message: string;
  /** Name of dbt's event; null for what is none. */
  event: string | null;
}

const eventSchema = z.object({ info: z.object({ name: z.string(), level: z.string(), msg: z.string() }) });

/** Events that tell how far dbt is; the others are noise. */
const SHOWN = new Set(['MainReportVersion', 'AdapterRegistered', 'ParsePerfInfoPath']);
const MAX_MESSAGE = 2_000;
/** Shorter values would take letters out of words. */
const SHORTEST_SECRET = 4;
const SCRATCH = /(\/[\w.-]+)*\/(project|work|target|logs)\//g;

/** A line of dbt's JSON log; undefined for what nobody needs. Values of variables and folders of the sandbox are taken out. */
export function dbtLine(text: string, values: readonly string[]): DbtLine | undefined {
  const event = parsed(text);
  if (!event) return undefined;
  const { name, level, msg } = event.info;
  const isProblem = level === 'error' || level === 'warn';
  if (!isProblem && !SHOWN.has(name)) return undefined;
  const message = name === 'ParsePerfInfoPath' ? 'The project is read' : redacted(msg, values);
  return { level: level === 'error' ? 'error' : 'info', message: message.slice(0, MAX_MESSAGE), event: name };
}

function redacted(text: string, values: readonly string[]): string {
  const secrets = values.filter((value) => value.length >= SHORTEST_SECRET);
  const plain = stripVTControlCharacters(text);
  return secrets
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), plain)
    .replace(SCRATCH, '')
    .trim();
}

function parsed(text: string): z.infer<typeof eventSchema> | undefined {
  try {
    return eventSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
