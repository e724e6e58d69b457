import { z } from 'zod';
import { type Model, type ModelColumn } from '../manifest/node-schemas';

const modelOverride = z
  .object({
    exclude: z.boolean(),
    name: z.string(),
    title: z.string(),
    description: z.string(),
    public: z.boolean(),
    data_source: z.string(),
  })
  .partial();

const columnOverride = z
  .object({
    exclude: z.boolean(),
    name: z.string(),
    title: z.string(),
    description: z.string(),
    public: z.boolean(),
    type: z.enum(['string', 'number', 'time', 'boolean']),
    format: z.enum(['percent', 'currency', 'link', 'imageUrl', 'id']),
    primary_key: z.boolean(),
  })
  .partial();

interface Described {
  meta?: unknown;
  config?: { meta?: unknown } | null | undefined;
}

/** What the project says in `meta.cube` about how it is to appear; without the option nothing. */
export class Overrides {
  constructor(
    private readonly on: boolean,
    private readonly warn: (message: string) => void,
  ) {}

  ofModel(model: Model): z.infer<typeof modelOverride> {
    return this.read(modelOverride, model, `model ${model.name}`);
  }

  ofColumn(column: ModelColumn): z.infer<typeof columnOverride> {
    return this.read(columnOverride, column, `column ${column.name}`);
  }

  /** The rest of `meta`, when there is any. */
  metaOf(described: Described): Record<string, unknown> | undefined {
    if (!this.on) return undefined;
    const rest = Object.entries(metaOf(described)).filter(([key]) => key !== 'cube');
    return rest.length > 0 ? Object.fromEntries(rest) : undefined;
  }

  private read<T extends object>(schema: z.ZodType<T>, described: Described, what: string): T {
    const { cube } = this.on ? metaOf(described) : {};
    const parsed = schema.safeParse(cube ?? {});
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    this.warn(`meta.cube of ${what} is not used: ${issue?.path.join('.')}: ${issue?.message}`);
    return schema.parse({});
  }
}

function metaOf({ config, meta }: Described): Record<string, unknown> {
  const value = isNonEmptyObject(config?.meta) ? config.meta : meta;
  return isNonEmptyObject(value) ? value : {};
}

function isNonEmptyObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}
