import { type ConversionOptions } from '../conversion';
import { type Model } from '../manifest/node-schemas';
import { type Report } from '../report';
import { CubeDraft } from './draft';
import { TakenNames, usableName } from './names';
import { type Overrides } from './overrides';
import { type Warehouse } from './warehouse';

/** Makes the cubes of a project, still without members, and names what else stands beside them. */
export class CubeMaker {
  /** Cubes and views have one space of names. */
  readonly names = new TakenNames();
  private readonly stems = new TakenNames();

  constructor(
    private readonly options: Pick<ConversionOptions, 'namePrefix' | 'titlePrefix' | 'descriptions' | 'meta'>,
    private readonly warehouse: Warehouse,
    private readonly overrides: Overrides,
    private readonly report: Report,
  ) {}

  make(model: Model): CubeDraft {
    const { namePrefix, titlePrefix, descriptions, meta } = this.options;
    const override = this.overrides.ofModel(model);
    const base = versionedName(model);
    const wish = override.name ?? `${namePrefix}${base}`;
    const name = this.names.take(wish, `${namePrefix}${model.package_name}_${base}`);
    if (name !== wish) this.report.rename(`model ${wish}`, name);
    const title = override.title ?? `${titlePrefix}${model.alias ?? model.name}`;
    const cube = new CubeDraft(name, this.stemOf(model), model, this.warehouse.relation(model), title);
    cube.description = override.description ?? (descriptions ? (model.description ?? undefined) : undefined);
    cube.public = override.public ?? (meta && accessOf(model) === 'private' ? false : undefined);
    cube.dataSource = override.data_source;
    return cube;
  }

  /** The name of a model's file, which it keeps whatever becomes of it. */
  stemOf(model: Model): string {
    const base = versionedName(model);
    return this.stems.take(base, `${model.package_name}_${base}`);
  }
}

/** The latest version of a model has its name, as `ref` has it. */
function versionedName({ name, version, latest_version }: Model): string {
  const older = version !== undefined && version !== null && String(version) !== String(latest_version);
  return older ? usableName(`${name}_v${version}`) : name;
}

export function accessOf({ access, config }: Model): string | undefined {
  return config?.access ?? access ?? undefined;
}
