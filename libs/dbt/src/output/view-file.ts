import { type ViewDraft } from '../semantic/views';
import { HEADER, text } from './cube-file';
import { metaValue } from './meta-values';
import { yaml } from './yaml-writer';

/** The file of one view. */
export function viewFile(name: string, { title, description, cubes, meta }: ViewDraft): string {
  const whole = cubes.some(({ includes }) => includes === '*');
  const definition = {
    name,
    title: text(title),
    description: text(description),
    cubes: cubes.map(({ path, includes }) => ({
      join_path: path.map((cube) => cube.name).join('.'),
      includes,
      // Whole cubes have members of equal names.
      prefix: whole && cubes.length > 1 ? true : undefined,
    })),
    meta: metaValue(meta),
  };
  return HEADER + yaml({ views: [definition] });
}
