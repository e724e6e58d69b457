import type { Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { UpstreamRepository } from '@plinth/testing';
import { eventually, type Fixture } from './fixture';

export interface Place {
  admin: Principal;
  path: { deploymentId: number };
}

/** A small dbt project. */
export const shopProject: Readonly<Record<string, string>> = {
  'dbt_project.yml': 'name: shop\nversion: "1.0"\nprofile: shop\nmodel-paths: [models]\n',
  'models/orders.sql': 'select 1 as id, 2 as customer_id, 3.0 as amount',
  'models/customers.sql': 'select 1 as id',
  'models/schema.yml': `models:
  - name: orders
    description: All orders
    columns:
      - { name: id, data_type: integer }
      - name: customer_id
        data_type: integer
        data_tests: [{ relationships: { arguments: { to: ref('customers'), field: id } } }]
      - { name: amount, data_type: numeric }
  - name: customers
    columns: [{ name: id, data_type: integer, data_tests: [unique, not_null] }]
`,
};

/** What tests do with dbt syncs. */
export class DbtSyncs {
  private serial = 0;

  constructor(
    private readonly platform: () => Fixture,
    private readonly folder: () => string,
  ) {}

  /** A deployment that is connected to a repository with these files on its branch `main`. */
  async connected(
    files: Readonly<Record<string, string | null>> = shopProject,
    more: object = {},
  ): Promise<Place & { upstream: UpstreamRepository }> {
    const place = this.platform().newDeployment();
    const upstream = new UpstreamRepository(this.folder(), `dbt-${++this.serial}`);
    upstream.commit('main', files);
    const body = { url: `file://${upstream.directory}`, ...more };
    await this.platform().call(place.admin, 'putDbtSource', { path: place.path, body });
    return { ...place, upstream };
  }

  start({ admin, path }: Place, body: object = {}): Promise<ReplyOf<'startDbtSync'>> {
    return this.platform().call(admin, 'startDbtSync', { path, upload: JSON.stringify(body) });
  }

  status({ admin, path }: Place, syncJobId: string): Promise<ReplyOf<'getDbtSyncStatus'>> {
    return this.platform().call(admin, 'getDbtSyncStatus', { path: { ...path, syncJobId } });
  }

  ended(place: Place, syncJobId: string): Promise<ReplyOf<'getDbtSyncStatus'>> {
    return eventually(
      () => this.status(place, syncJobId),
      ({ status }) => ['COMPLETED', 'FAILED'].includes(status),
    );
  }

  async sync(place: Place, body: object = {}): Promise<ReplyOf<'startDbtSync'> & ReplyOf<'getDbtSyncStatus'>> {
    const started = await this.start(place, body);
    return { ...started, ...(await this.ended(place, started.syncJobId)) };
  }

  async log({ admin, path }: Place, syncJobId: string): Promise<string> {
    const { items } = await this.platform().call(admin, 'getDbtSyncLogs', { path: { ...path, syncJobId } });
    return items.map(({ phase, level, message }) => `${phase} ${level} ${message}`).join('\n');
  }

  async branches({ admin, path }: Place): Promise<string[]> {
    const { items } = await this.platform().call(admin, 'listBranches', { path });
    return items.map(({ name }) => name);
  }
}

export const ofManifest = (manifest: object, more: object = {}): object => ({ source: 'manifest', manifest, ...more });

/** Holds runs where they ask the workspace what a data model would break. */
export class HeldCheck {
  private held: Promise<void> = Promise.resolve();
  private onAsked = (): void => undefined;

  /** What the workspace answers. */
  readonly answer = async (): Promise<{ items: never[]; unnamed: number }> => {
    this.onAsked();
    await this.held;
    return { items: [], unnamed: 0 };
  };

  /** From now on: `reached` resolves when a run is there, and it stays there until `release` is called. */
  hold(): { reached: Promise<void>; release: () => void } {
    let release = (): void => undefined;
    this.held = new Promise((resolve) => (release = resolve));
    return { reached: new Promise((resolve) => (this.onAsked = resolve)), release };
  }
}
