import { type ConversionContext, type ConversionOptions, NoModelMatched } from '../conversion';
import { type Model } from '../manifest/node-schemas';
import { type Report } from '../report';
import { type Overrides } from './overrides';

export interface Selection {
  /** Models that can be cubes. */
  possible: Model[];
  /** Of these, the ones that filters let through. */
  chosen: ReadonlySet<Model>;
}

/**
 * The models that become cubes.
 *
 * @throws NoModelMatched when there is none
 */
export function selectModels(
  models: readonly Model[],
  { martsFolder }: Pick<ConversionOptions, 'martsFolder'>,
  { selected, selector }: ConversionContext,
  overrides: Overrides,
  report: Report,
): Selection {
  const possible = models.filter((model) => {
    const reason = reasonAgainst(model, overrides);
    if (reason) report.skip(`model ${model.name}`, reason);
    return !reason;
  });
  const isChosen = (model: Model): boolean =>
    (!selected || selected.has(model.unique_id)) && (martsFolder === null || isInFolder(model, martsFolder));
  const chosen = possible.filter(isChosen);
  if (chosen.length > 0) return { possible, chosen: new Set(chosen) };
  const filters = [
    ...(selected ? [`the selector${selector ? ` "${selector}"` : ''}`] : []),
    ...(martsFolder === null ? [] : [`the folder "${martsFolder}"`]),
  ];
  throw new NoModelMatched(
    filters.length > 0
      ? `No model matched ${filters.join(' and ')}; the project has ${possible.length} that could be cubes`
      : 'The project has no model that could be a cube',
  );
}

function reasonAgainst(model: Model, overrides: Overrides): string | undefined {
  if (model.config?.enabled === false) return 'it is disabled';
  if (model.config?.materialized === 'ephemeral') return 'it is ephemeral and has no table';
  if (model.time_spine || model.name === 'metricflow_time_spine') return 'it is a time spine';
  return overrides.ofModel(model).exclude ? 'meta.cube.exclude' : undefined;
}

function isInFolder({ original_file_path }: Model, folder: string): boolean {
  return original_file_path.split(/[\\/]/).slice(0, -1).includes(folder);
}
