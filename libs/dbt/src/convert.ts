import {
  type Conversion,
  type ConversionContext,
  type ConversionOptions,
  DEFAULT_OPTIONS,
  type GeneratedFile,
} from './conversion';
import { CubeMaker } from './cubes/cubes';
import { DataTests } from './cubes/data-tests';
import { Dimensions } from './cubes/dimensions';
import { type CubeDraft } from './cubes/draft';
import { Joins } from './cubes/joins';
import { addCount, addTotals } from './cubes/measures';
import { Overrides } from './cubes/overrides';
import { usableName } from './cubes/names';
import { PrimaryKeys } from './cubes/primary-keys';
import { selectModels } from './cubes/select-models';
import { Warehouse } from './cubes/warehouse';
import { type Manifest } from './manifest/manifest';
import { cubeFile } from './output/cube-file';
import { outputFolder } from './output/file-plan';
import { viewFile } from './output/view-file';
import { Report } from './report';
import { SemanticLayer } from './semantic/semantic-layer';
import { type ViewDraft } from './semantic/views';

/**
 * Makes a data model of a dbt project: one cube a model, one file a cube. Equal input gives equal bytes. What cannot be had is
 * in the result, with its reason.
 *
 * @throws NoModelMatched when there would be no cube, RangeError for an output path that is none
 */
export function convertManifest(
  manifest: Manifest,
  options: Partial<ConversionOptions> = {},
  context: ConversionContext = {},
): Conversion {
  return new Converter(manifest, { ...DEFAULT_OPTIONS, ...options }, context).convert();
}

class Converter {
  private readonly report = new Report();
  private readonly folder: string;
  private readonly overrides: Overrides;
  private readonly tests: DataTests;
  private readonly warehouse: Warehouse;
  private readonly maker: CubeMaker;

  constructor(
    private readonly manifest: Manifest,
    private readonly options: ConversionOptions,
    private readonly context: ConversionContext,
  ) {
    this.folder = outputFolder(options.outputPath);
    this.overrides = new Overrides(options.meta, (message) => this.report.warn(message));
    this.tests = new DataTests(manifest.tests);
    this.warehouse = new Warehouse(manifest.adapter);
    this.maker = new CubeMaker(options, this.warehouse, this.overrides, this.report);
  }

  convert(): Conversion {
    const { chosen, unselected } = this.draft();
    const { metrics, views } = this.fill(chosen);
    const cubes = [...chosen.values()];
    const files = [...cubes.map((cube) => this.fileOf(cube)), ...views.map((view) => this.viewFileOf(view))];
    const sum = (count: (cube: CubeDraft) => number): number => cubes.reduce((total, cube) => total + count(cube), 0);
    for (const cube of cubes) this.tellRenamed(cube);
    return {
      files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
      cubes: cubes.length,
      views: views.length,
      dimensions: sum(({ dimensions }) => dimensions.size),
      measures: sum(({ measures }) => measures.size),
      joins: sum(({ joins }) => joins.size),
      metrics,
      skipped: this.report.skipped,
      renamed: this.report.renamed,
      warnings: this.report.warnings,
      unselected: [...unselected.map((cube) => this.pathOf(cube)), ...(unselected.length > 0 ? this.viewPaths() : [])],
      stats: this.manifest.stats,
    };
  }

  /** Models that were not chosen are named too, so that names do not depend on the choice. */
  private draft(): { chosen: Map<string, CubeDraft>; unselected: CubeDraft[] } {
    const { models, project } = this.manifest;
    const ownFirst = [
      ...models.filter(({ package_name }) => package_name === project),
      ...models.filter(({ package_name }) => package_name !== project),
    ];
    const selection = selectModels(ownFirst, this.options, this.context, this.overrides, this.report);
    const chosen = new Map<string, CubeDraft>();
    const unselected: CubeDraft[] = [];
    for (const model of selection.possible) {
      const cube = this.maker.make(model);
      if (selection.chosen.has(model)) chosen.set(model.unique_id, cube);
      else unselected.push(cube);
    }
    return { chosen, unselected };
  }

  private fill(cubes: ReadonlyMap<string, CubeDraft>): { metrics: number; views: ViewDraft[] } {
    const { options, report } = this;
    const keys = new PrimaryKeys(this.tests, options);
    const dimensions = new Dimensions(this.warehouse, this.overrides, options.descriptions, report);
    for (const cube of cubes.values()) {
      dimensions.addTo(cube, this.context.catalog?.get(cube.model.unique_id));
      cube.keys = this.overriddenKeys(cube) ?? keys.declared(cube);
    }
    const semantics = options.semanticLayer && new SemanticLayer(this.manifest, cubes, this.warehouse, report);
    this.join(cubes, keys, semantics);
    const added = semantics && semantics.addMetrics((metric) => this.overrides.metaOf(metric));
    for (const cube of cubes.values()) {
      if (options.defaultMeasures) addTotals(cube, options.keySuffixes);
      addCount(cube);
    }
    return added || { metrics: 0, views: [] };
  }

  /** What semantic models join, they declare to be asked for: it comes first, since two cubes have one join. */
  private join(cubes: ReadonlyMap<string, CubeDraft>, keys: PrimaryKeys, semantics: SemanticLayer | false): void {
    const joins = new Joins(cubes, this.report);
    if (this.options.joins) {
      if (semantics) semantics.addJoins(joins);
      joins.addDeclared(this.tests);
    }
    // A column that is joined to is a better key than one that has the name of a key.
    for (const cube of cubes.values()) if (cube.keys.length === 0) cube.keys = keys.guessed(cube);
    joins.dropKeyless();
    if (this.options.joins && this.options.reverseJoins) joins.addReverse();
  }

  private overriddenKeys(cube: CubeDraft): string[] | undefined {
    const columns = cube.model.columns.filter((column) => this.overrides.ofColumn(column).primary_key);
    const names = columns.map(({ name }) => cube.column(name)?.name).filter((name) => name !== undefined);
    return names.length > 0 ? names : undefined;
  }

  private fileOf(cube: CubeDraft): GeneratedFile {
    return {
      path: this.pathOf(cube),
      content: cubeFile(cube, this.overrides.metaOf(cube.model), this.options),
    };
  }

  private viewFileOf(view: ViewDraft): GeneratedFile {
    const { namePrefix, meta } = this.options;
    const name = this.maker.names.take(`${namePrefix}${view.source}`, `${namePrefix}${view.source}_view`);
    return {
      path: this.viewPath(view.kind, view.source),
      content: viewFile(name, meta ? view : { ...view, meta: undefined }),
    };
  }

  /** Views may be missing because a model was not chosen. */
  private viewPaths(): string[] {
    const { savedQueries, exposures } = this.manifest;
    return [
      ...savedQueries.map(({ name }) => this.viewPath('saved_queries', name)),
      ...exposures.map(({ name }) => this.viewPath('exposures', name)),
    ];
  }

  private pathOf({ stem }: CubeDraft): string {
    return `${this.folder}/${stem}.yml`;
  }

  private viewPath(kind: ViewDraft['kind'], source: string): string {
    return `${this.folder}/${kind}/${usableName(source)}.yml`;
  }

  private tellRenamed({ name: cube, model, dimensions }: CubeDraft): void {
    for (const { name, wish, column } of dimensions.values()) {
      if (column !== undefined && name !== wish) this.report.rename(`${model.name}.${wish}`, `${cube}.${name}`);
    }
  }
}
