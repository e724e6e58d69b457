import { type Conversion, type ConversionContext, type ConversionOptions, DEFAULT_OPTIONS } from './conversion';
import { CubeMaker } from './cubes/cubes';
import { DataTests } from './cubes/data-tests';
import { Dimensions } from './cubes/dimensions';
import { type CubeDraft } from './cubes/draft';
import { Joins } from './cubes/joins';
import { addCount, addTotals } from './cubes/measures';
import { Overrides } from './cubes/overrides';
import { PrimaryKeys } from './cubes/primary-keys';
import { selectModels } from './cubes/select-models';
import { Warehouse } from './cubes/warehouse';
import { type Manifest } from './manifest/manifest';
import { cubeFile } from './output/cube-file';
import { outputFolder } from './output/file-plan';
import { Report } from './report';

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
    this.fill(chosen);
    const cubes = [...chosen.values()];
    const files = cubes.map((cube) => ({
      path: this.pathOf(cube),
      content: cubeFile(cube, this.overrides.metaOf(cube.model), this.options),
    }));
    const sum = (count: (cube: CubeDraft) => number): number => cubes.reduce((total, cube) => total + count(cube), 0);
    return {
      files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
      cubes: cubes.length,
      views: 0,
      dimensions: sum(({ dimensions }) => dimensions.size),
      measures: sum(({ measures }) => measures.size),
      joins: sum(({ joins }) => joins.size),
      metrics: 0,
      skipped: this.report.skipped,
      renamed: this.report.renamed,
      warnings: this.report.warnings,
      unselected: unselected.map((cube) => this.pathOf(cube)),
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

  private fill(cubes: ReadonlyMap<string, CubeDraft>): void {
    const { options } = this;
    const keys = new PrimaryKeys(this.tests, options);
    const joins = new Joins(cubes, this.report);
    const dimensions = new Dimensions(this.warehouse, this.overrides, options.descriptions, this.report);
    for (const cube of cubes.values()) {
      dimensions.addTo(cube, this.context.catalog?.get(cube.model.unique_id));
      cube.keys = this.overriddenKeys(cube) ?? keys.declared(cube);
    }
    if (options.joins) joins.addDeclared(this.tests);
    for (const cube of cubes.values()) if (cube.keys.length === 0) cube.keys = keys.guessed(cube);
    joins.dropKeyless();
    if (options.reverseJoins) joins.addReverse();
    for (const cube of cubes.values()) {
      if (options.defaultMeasures) addTotals(cube, options.keySuffixes);
      addCount(cube);
    }
  }

  private overriddenKeys(cube: CubeDraft): string[] | undefined {
    const columns = cube.model.columns.filter((column) => this.overrides.ofColumn(column).primary_key);
    const names = columns.map(({ name }) => cube.column(name)?.name).filter((name) => name !== undefined);
    return names.length > 0 ? names : undefined;
  }

  private pathOf({ stem }: CubeDraft): string {
    return `${this.folder}/${stem}.yml`;
  }
}
