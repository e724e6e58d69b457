import { z } from 'zod';

const regionForm = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'takes lower-case letters, digits and hyphens'),
  title: z.string().optional(),
  provider: z.enum(['cubecloud', 'aws', 'gcp']).default('cubecloud'),
  isPublic: z.boolean().default(true),
  isDedicated: z.boolean().default(false),
  isHybrid: z.boolean().default(false),
});

export type Region = z.infer<typeof regionForm> & { id: number };

/** Regions as the operator names them: a JSON array of objects with `name`, and optionally title, provider and kind. */
export const regionList = z
  .string()
  .default('[{"name":"local","title":"This installation"}]')
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue('takes a JSON array of regions');
      return z.NEVER;
    }
  })
  .pipe(z.array(regionForm).min(1, 'takes at least one region'))
  .refine((regions) => new Set(regions.map(({ name }) => name)).size === regions.length, 'takes each name once')
  .transform((regions): Region[] => regions.map((region, index) => ({ id: index + 1, ...region })));
