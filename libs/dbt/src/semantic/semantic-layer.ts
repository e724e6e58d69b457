import { type CubeDraft } from '../cubes/draft';
import { type Joins } from '../cubes/joins';
import { type Warehouse } from '../cubes/warehouse';
import { type Manifest } from '../manifest/manifest';
import { type Metric } from '../manifest/node-schemas';
import { type Report } from '../report';
import { Filters } from './filters';
import { Metrics } from './metrics';
import { SemanticModels } from './semantic-models';
import { type ViewDraft, Views } from './views';

/** What a project says about its models for those who ask: semantic models, metrics, saved queries and exposures. */
export class SemanticLayer {
  private readonly models: SemanticModels;

  /** Adds entities and dimensions, and primary keys where there are none. */
  constructor(
    private readonly manifest: Manifest,
    private readonly cubes: ReadonlyMap<string, CubeDraft>,
    private readonly warehouse: Warehouse,
    private readonly report: Report,
  ) {
    this.models = new SemanticModels(manifest.semanticModels, cubes, report);
  }

  addJoins(joins: Joins): void {
    this.models.addJoins(joins);
  }

  /** Adds measures, when all joins are known. */
  addMetrics(metaOf: (metric: Metric) => unknown): { metrics: number; views: ViewDraft[] } {
    const filters = new Filters(this.models, this.warehouse);
    const metrics = new Metrics(this.manifest.metrics, this.models, filters, this.warehouse, metaOf, this.report);
    const count = metrics.addAll();
    const views = new Views(this.cubes, this.models, metrics, this.report);
    const { savedQueries, exposures } = this.manifest;
    return { metrics: count, views: [...views.ofSavedQueries(savedQueries), ...views.ofExposures(exposures)] };
  }
}
