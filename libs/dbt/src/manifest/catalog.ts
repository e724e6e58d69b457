import { z } from 'zod';
import { ManifestError } from './manifest-error';

const catalogSchema = z.object({
  nodes: z.record(
    z.string(),
    z.object({ columns: z.record(z.string(), z.object({ name: z.string(), type: z.string().nullish() })) }),
  ),
});

/** A column as the warehouse has it. */
export interface CatalogColumn {
  name: string;
  type?: string | null | undefined;
}

/** Columns of the tables that exist, by `unique_id` of their models. */
export type Catalog = ReadonlyMap<string, readonly CatalogColumn[]>;

/**
 * Reads `target/catalog.json`, which `dbt docs generate` writes.
 *
 * @throws ManifestError when it is none
 */
export function parseCatalog(value: unknown): Catalog {
  const parsed = catalogSchema.safeParse(value);
  if (!parsed.success) throw new ManifestError('This is no dbt catalog: nodes with columns are missing');
  return new Map(Object.entries(parsed.data.nodes).map(([id, { columns }]) => [id, Object.values(columns)]));
}
