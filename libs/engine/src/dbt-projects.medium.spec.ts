import { type ConversionOptions, convertManifest, parseManifest } from '@plinth/dbt';
import { createEmptyDatabase, DBT_PROJECTS, dbtProject, type DbtProjectName, type TestDatabase } from '@plinth/testing';
import { Client } from 'pg';
import { EngineUnderTest } from './testing/engine-under-test';
import { withHostedModel } from './testing/hosted-model';

type Rows = Record<string, unknown>[];

const OPTIONS: Record<DbtProjectName, Partial<ConversionOptions>> = {
  library: {},
  bakery: { semanticLayer: true },
  cycles: { semanticLayer: true, meta: true },
};

/** The projects of `libs/testing`, served by one engine: what dbt's tables and metrics give, asked for in both ways. */
class ServedProjects {
  private constructor(
    private readonly database: TestDatabase,
    private readonly sql: Client,
    private readonly engine: EngineUnderTest,
  ) {}

  static async start(): Promise<ServedProjects> {
    const database = await createEmptyDatabase();
    const sql = new Client({ connectionString: database.url });
    await sql.connect();
    for (const name of DBT_PROJECTS) await sql.query(dbtProject(name).warehouseSql);
    const files = DBT_PROJECTS.flatMap((name) => Object.entries(converted(name, manifestOf(name), OPTIONS[name])));
    const model = Object.fromEntries(files);
    expect(Object.keys(model)).toHaveLength(files.length);
    const engine = await EngineUnderTest.start({ model, database: database.url });
    return new ServedProjects(database, sql, engine);
  }

  /** Rows by the names that the last part of each member has. */
  async ask(query: object): Promise<Rows> {
    for (;;) {
      const { body } = await this.engine.load(query);
      if (body.error === 'Continue wait') continue;
      if (!Array.isArray(body.data)) throw new Error(String(body.error));
      return (body.data as Rows).map((row) =>
        Object.fromEntries(Object.entries(row).map(([member, value]) => [member.split('.')[1], comparable(value)])),
      );
    }
  }

  async query(sql: string): Promise<Rows> {
    const { rows } = await this.sql.query<Record<string, unknown>>(sql);
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, comparable(value)])));
  }

  async stop(): Promise<void> {
    await this.engine.stop();
    await this.sql.end();
    await this.database.drop();
  }
}

interface ManifestJson {
  nodes: Record<string, object>;
}

const manifestOf = (name: DbtProjectName) => JSON.parse(dbtProject(name).manifest) as ManifestJson;

/** The files of the model, which has a folder for each project. */
function converted(
  name: DbtProjectName,
  manifest: ManifestJson,
  options: Partial<ConversionOptions>,
): Record<string, string> {
  const { files } = convertManifest(parseManifest(manifest), options);
  return Object.fromEntries(files.map(({ path, content }) => [`${name}/${path}`, content]));
}

interface ShownCube {
  name: string;
  description: string;
  meta: object;
  dimensions: { name: string; description: string }[];
}

/** Numbers come as text or not, with zeros at the end or without, and with fewer digits from a float than from a numeric. */
function comparable(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toFixed(6));
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  if (typeof value !== 'string') return value;
  if (/^-?\d+(\.\d+)?$/.test(value)) return Number(Number(value).toFixed(6));
  return /^\d{4}-\d\d-\d\dT/.test(value) ? value.slice(0, 10) : value;
}

let served: ServedProjects;
beforeAll(async () => {
  served = await ServedProjects.start();
});
afterAll(() => served.stop());

const month = (member: string) => [
  { dimension: member, granularity: 'month', dateRange: ['2024-01-01', '2024-12-31'] },
];

describe('metrics of a dbt project', () => {
  it('give what SQL over its tables gives: one without semantic models', async () => {
    const fees = await served.ask({
      measures: ['dbt_loans.total_fee_amount', 'dbt_loans.count', 'dbt_loans.total_Total_fee'],
      dimensions: ['dbt_books.title'],
      order: { 'dbt_books.title': 'asc' },
    });
    expect(fees).toEqual(
      await served.query(`
        select b.title, sum(l.fee_amount) as total_fee_amount, count(*)::text as count, sum(l."Total fee") as "total_Total_fee"
        from library.loans l join library.books b using (book_id) group by 1 order by 1`),
    );
    // A book that was lent twice costs once.
    const costs = await served.ask({
      measures: ['dbt_loans.count', 'dbt_books.total_replacement_cost'],
      dimensions: ['dbt_members.name'],
      order: { 'dbt_members.name': 'asc' },
    });
    expect(costs).toEqual(
      await served.query(`
        select name, sum(loans)::text as count, sum(replacement_cost) as total_replacement_cost
        from (select m.name, b.book_id, b.replacement_cost, count(*) as loans
              from library.loans l join library.books b using (book_id) join library.members m using (member_id)
              group by 1, 2, 3) once
        group by 1 order by 1`),
    );
    expect(
      await served.ask({
        measures: ['dbt_members.count'],
        dimensions: ['dbt_members.Home_Town'],
        order: [['dbt_members.Home_Town', 'asc']],
      }),
    ).toEqual(
      await served.query(
        `select "Home Town" as "Home_Town", count(*)::text as count from library.members group by 1 order by 1`,
      ),
    );
  });

  it('give what SQL over its tables gives: the older form of semantic models', async () => {
    const simple = [
      'revenue',
      'sales_made',
      'shops_open',
      'gross_margin',
      'wholesale',
      'bread_revenue',
      'large_revenue',
      'recent_revenue',
    ];
    const others = ['average_sale', 'wholesale_share', 'cost_share', 'cake_ratio', 'middle_amount', 'ninth_decile'];
    const measures = [...simple, ...others].map((name) => `dbt_sales.${name}`);
    const sql = `
      select s.city, sum(amount) as revenue, count(*)::text as sales_made, count(distinct shop_id)::text as shops_open,
        sum(amount - ingredients_cost) as gross_margin, sum(is_wholesale::int)::text as wholesale,
        sum(amount) filter (where family = 'bread') as bread_revenue, sum(amount) filter (where quantity >= 10) as large_revenue,
        sum(amount) filter (where sold_at >= '2024-02-01') as recent_revenue,
        (sum(amount) / count(*))::text as average_sale, (sum(amount) filter (where is_wholesale) / sum(amount))::text as wholesale_share,
        1 - sum(amount - ingredients_cost) / sum(amount) as cost_share,
        sum(amount) / nullif(sum(is_wholesale::int) filter (where family = 'cake'), 0) as cake_ratio,
        percentile_cont(0.5) within group (order by amount)::text as middle_amount,
        percentile_disc(0.9) within group (order by amount) as ninth_decile
      from bakery.sales join bakery.products using (product_id) join bakery.shops s using (shop_id) group by 1 order by 1`;
    const query = { measures, dimensions: ['dbt_shops.city'], order: { 'dbt_shops.city': 'asc' } };
    expect(await served.ask(query)).toEqual(await served.query(sql));
    const view = {
      measures: ['dbt_bread_by_city.bread_revenue'],
      dimensions: ['dbt_bread_by_city.city'],
      order: { 'dbt_bread_by_city.city': 'asc' },
    };
    expect(await served.ask(view)).toEqual(
      await served.query(`
        select city, sum(amount) as bread_revenue from bakery.sales join bakery.products using (product_id)
        join bakery.shops using (shop_id) where family = 'bread' group by 1 order by 1`),
    );
  });

  it('give what SQL over its tables gives: the newer form of semantic models', async () => {
    const measures = [
      'fare',
      'hires_made',
      'long_hires',
      'electric_fares',
      'docked_hires',
      'median_minutes',
      'fare_per_hire',
    ];
    const sql = `
      select make, sum(fare) as fare, count(hire_id)::text as hires_made, (count(hire_id) filter (where minutes > 40))::text as long_hires,
        sum(fare) filter (where electric) as electric_fares, sum(docked::int)::text as docked_hires,
        percentile_cont(0.5) within group (order by minutes)::text as median_minutes, (sum(fare) / count(hire_id))::text as fare_per_hire
      from cycles.hires join cycles.bikes using (bike_id) group by 1 order by 1`;
    const query = {
      measures: measures.map((name) => `rides.${name}`),
      dimensions: ['dbt_bikes.make'],
      order: { 'dbt_bikes.make': 'asc' },
    };
    expect(await served.ask(query)).toEqual(await served.query(sql));
    const bikes = await served.ask({ measures: ['rides.hires_per_bike'] });
    expect(bikes).toEqual(await served.query('select (count(*) * 1.0 / 3)::text as hires_per_bike from cycles.hires'));
  });

  it('go over windows of time, and back to an earlier one', async () => {
    const rolling = await served.ask({ measures: ['rides.fares_so_far'], timeDimensions: month('rides.started_at') });
    expect(rolling.map(({ fares_so_far }) => fares_so_far)).toContain(16.75);
    const change = await served.ask({ measures: ['rides.fare_change'], timeDimensions: month('rides.started_at') });
    expect(change.map(({ fare_change }) => fare_change)).toContain(-2.25);
  });
});

describe('texts of a dbt project', () => {
  const hostile = [
    'a {b} c',
    'a } c {',
    '{{ x }}',
    '{% if %} {# c #}',
    'a \\{b\\} c',
    'quote " and \' and `',
    'back\\slash',
    'at the end \\',
    '${x} $y',
    'line1\nline2\n\n  line3',
    'tab\tx',
    '100% sure {100%}',
    '{SECURITY_CONTEXT.user}',
    '😀 größer 日本',
    '\\n \\x7b \\u0041 \\\\',
    'f"{a}" f\'x\'',
    '{1/0}',
    '"{id}"',
    'yes',
    '2024-01-01',
    '# - : | > & * ! %',
    '{CUBE}.sql',
    '`; process.exit(1); `',
  ];

  it('are shown as they are, whatever the compiler would make of them', async () => {
    const meta = { list: hostile, public: hostile.join(' '), deep: { prefix: hostile[0], count: 3, on: true } };
    const manifest = manifestOf('library');
    const columns = hostile.map(
      (description, index) => [`text_${index}`, { name: `text_${index}`, description }] as const,
    );
    const loans = { description: hostile.join('\n'), columns: Object.fromEntries(columns), config: { meta } };
    Object.assign(manifest.nodes['model.library.loans'] ?? {}, loans);
    const model = converted('library', manifest, { meta: true });
    const cubes = (await withHostedModel({ model }, (host) =>
      host.call('metaConfig', { securityContext: {} }, {}),
    )) as { config: ShownCube }[];
    const shown = cubes.map(({ config }) => config).find(({ name }) => name === 'dbt_loans');
    const texts = shown?.dimensions.filter(({ name }) => name.includes('.text_')).map(({ description }) => description);
    expect(texts).toEqual(hostile.map((text) => text.trim()));
    expect(shown?.description).toBe(hostile.join('\n').trim());
    expect(shown?.meta).toMatchObject(meta);
  });
});
