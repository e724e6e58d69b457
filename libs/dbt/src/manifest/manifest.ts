import { z } from 'zod';
import { type ManifestStats } from '../conversion';
import { ManifestError } from './manifest-error';
import {
  type DataTest,
  type Exposure,
  exposureSchema,
  type Metric,
  metricSchema,
  type Model,
  modelSchema,
  type SavedQuery,
  savedQuerySchema,
  type SemanticModel,
  semanticModelSchema,
  testSchema,
} from './node-schemas';

/** The parts of a dbt manifest that make a data model, each in the order of its ids. */
export interface Manifest {
  adapter: string;
  project: string | undefined;
  models: Model[];
  tests: DataTest[];
  semanticModels: SemanticModel[];
  metrics: Metric[];
  savedQueries: SavedQuery[];
  exposures: Exposure[];
  stats: ManifestStats;
}

const SUPPORTED = 'Version 12 is supported, which dbt 1.8 and newer write';
const VERSION = /\/manifest\/v(\d+)\.json$/;

const metadataSchema = z.object({
  dbt_schema_version: z.string(),
  dbt_version: z.string().nullish(),
  generated_at: z.string().nullish(),
  adapter_type: z.string().nullish(),
  project_name: z.string().nullish(),
});

const sectionSchemas = {
  semantic_models: semanticModelSchema,
  metrics: metricSchema,
  saved_queries: savedQuerySchema,
  exposures: exposureSchema,
};

/** Sections whose entries are read one by one. */
export const READ_SECTIONS: ReadonlySet<string> = new Set(['nodes', ...Object.keys(sectionSchemas)]);
/** Sections whose entries are counted. */
export const COUNTED_SECTIONS: ReadonlySet<string> = new Set(['macros', 'sources']);

/** Puts a manifest together from its parts, in whatever order these come. */
export class ManifestBuilder {
  private metadata: z.infer<typeof metadataSchema> | undefined;
  private readonly sections = new Map<string, Map<string, unknown>>();
  private readonly counts = { macros: 0, sources: 0 };

  /** @throws ManifestError when the version is none that is supported */
  setMetadata(value: unknown): void {
    const parsed = metadataSchema.safeParse(value);
    const version = VERSION.exec(parsed.data?.dbt_schema_version ?? '')?.[1];
    if (!parsed.data || !version) {
      throw new ManifestError(`This is no dbt manifest: metadata.dbt_schema_version is missing. ${SUPPORTED}`);
    }
    if (version !== '12') throw new ManifestError(`This is a manifest of version ${version}. ${SUPPORTED}`);
    this.metadata = parsed.data;
  }

  /** @throws ManifestError when the entry has not the form of its section */
  add(section: string, id: string, value: unknown): void {
    const schema = section === 'nodes' ? nodeSchema(value) : sectionSchemas[section as keyof typeof sectionSchemas];
    if (!schema) return;
    const parsed = schema.safeParse(value);
    if (!parsed.success) throw new ManifestError(`This is no dbt manifest: ${problemOf(parsed.error, section, id)}`);
    const kind = section === 'nodes' ? (schema === modelSchema ? 'models' : 'tests') : section;
    this.entriesOf(kind).set(id, parsed.data);
  }

  count(section: string): void {
    if (section === 'macros' || section === 'sources') this.counts[section] += 1;
  }

  /** A section stands there, though it may be empty. */
  open(section: string): void {
    this.entriesOf(section === 'nodes' ? 'models' : section);
  }

  /** @throws ManifestError when a part is missing that every manifest has */
  build(): Manifest {
    if (!this.metadata) throw new ManifestError(`This is no dbt manifest: metadata is missing. ${SUPPORTED}`);
    if (!this.sections.has('models')) throw new ManifestError('This is no dbt manifest: nodes are missing');
    const models = this.sorted<Model>('models');
    return {
      adapter: this.metadata.adapter_type ?? '',
      project: this.metadata.project_name ?? undefined,
      models,
      tests: this.sorted<DataTest>('tests'),
      semanticModels: this.sorted<SemanticModel>('semantic_models'),
      metrics: this.sorted<Metric>('metrics'),
      savedQueries: this.sorted<SavedQuery>('saved_queries'),
      exposures: this.sorted<Exposure>('exposures'),
      stats: {
        models: models.length,
        ...this.counts,
        dbtVersion: this.metadata.dbt_version ?? undefined,
        generatedAt: this.metadata.generated_at ?? undefined,
      },
    };
  }

  private entriesOf(kind: string): Map<string, unknown> {
    const entries = this.sections.get(kind) ?? new Map<string, unknown>();
    this.sections.set(kind, entries);
    return entries;
  }

  /** dbt writes its entries in an order that differs from run to run. */
  private sorted<T>(kind: string): T[] {
    const entries = [...(this.sections.get(kind) ?? [])];
    return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry as T);
  }
}

/**
 * Reads a manifest that is an object already.
 *
 * @throws ManifestError for what is no manifest, or one of a version that is not supported
 */
export function parseManifest(value: unknown): Manifest {
  if (!isObject(value)) throw new ManifestError('This is no dbt manifest: it is no JSON object');
  const builder = new ManifestBuilder();
  builder.setMetadata(value.metadata);
  for (const [section, entries] of Object.entries(value)) {
    if (!isObject(entries)) continue;
    if (READ_SECTIONS.has(section)) {
      builder.open(section);
      for (const [id, entry] of Object.entries(entries)) builder.add(section, id, entry);
    } else if (COUNTED_SECTIONS.has(section)) {
      for (let rest = Object.keys(entries).length; rest > 0; rest -= 1) builder.count(section);
    }
  }
  return builder.build();
}

function nodeSchema(value: unknown): typeof modelSchema | typeof testSchema | undefined {
  if (!isObject(value)) return modelSchema;
  if (value.resource_type === 'model') return modelSchema;
  // A test of its own SQL tells nothing about keys or joins.
  return value.resource_type === 'test' && isObject(value.test_metadata) ? testSchema : undefined;
}

function problemOf(error: z.ZodError, section: string, id: string): string {
  const [issue] = error.issues;
  const path = [section, id, ...(issue?.path ?? [])].map(String).join('.');
  return `${path.slice(0, 300)}: ${issue?.message ?? 'invalid'}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
