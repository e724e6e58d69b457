import { z } from 'zod';
import { BackupError } from './backup-error';

/**
 * A backup is a tar file, so that a person without Plinth can read it: `backup.json` first, then the rows of each table as
 * COPY wrote them (gzip), the references and one pack of each repository, what came up meanwhile, and last the checksums of
 * all these in the form of `sha256sum`. Without its last entry a file is not whole.
 */
export const FORMAT = 1;
export const HEADER = 'backup.json';
export const OUTCOME = 'outcome.json';
export const CHECKSUMS = 'checksums';

export const rowsEntry = (schema: string, table: string): string => `database/${schema}/${table}.copy.gz`;
export const refsEntry = (repository: string): string => `repositories/${repository}.refs`;
export const packEntry = (repository: string): string => `repositories/${repository}.pack`;

const ENTRY =
  /^(backup\.json|outcome\.json|checksums|database\/\w+\/\w+\.copy\.gz|repositories\/[A-Za-z0-9-]+\.(pack|refs))$/;

/** Whether a backup has entries of that name. */
export const isEntryName = (name: string): boolean => ENTRY.test(name);

const tenant = z.object({ id: z.number().int(), name: z.string() });

const table = z.object({
  columns: z.array(z.string()),
  /** The last number that a sequence gave, by column. */
  sequences: z.record(z.string(), z.string().regex(/^\d+$/)),
  partitions: z.array(z.object({ name: z.string(), bound: z.string() })),
});

const header = z.object({
  format: z.literal(FORMAT),
  /** Version of the release that made it. */
  release: z.string(),
  createdAt: z.iso.datetime(),
  /** The only tenant in it; null when everything is. */
  tenant: tenant.nullable(),
  /** All tenants in it. */
  tenants: z.array(tenant),
  /** Ids of the keys that what is in it is sealed under. */
  keyIds: z.array(z.string()),
  /** By service. */
  services: z.record(z.string(), z.object({ migrations: z.array(z.string()), tables: z.record(z.string(), table) })),
});

export type BackupHeader = z.infer<typeof header>;
export type ArchivedTenant = z.infer<typeof tenant>;

/** What is known only at the end. */
export const outcome = z.object({
  rows: z.number().int(),
  repositories: z.number().int(),
  /** What users removed while the backup was made, and what it therefore lacks. */
  removedMeanwhile: z.array(z.string()),
});

export type BackupOutcome = z.infer<typeof outcome>;

const anyFormat = z.object({ format: z.number(), release: z.string() });

/** @throws BackupError when it is no header, or that of a newer release */
export function parseHeader(text: string): BackupHeader {
  const content = parseJson(text);
  const known = anyFormat.safeParse(content);
  if (!known.success) throw new BackupError('The file is no backup of Plinth');
  const { format, release } = known.data;
  if (format > FORMAT) {
    throw new BackupError(`The backup was made by the newer release ${release}: restore it with that release`);
  }
  const parsed = header.safeParse(content);
  if (!parsed.success) throw new BackupError(`The backup is damaged: its ${HEADER} is not sound`);
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
