import { typeOfDataType, typeOfName, type DimensionType } from './column-types';

/** Names of types as the catalogs of warehouses and their documentation have them. */
const WAREHOUSES: Record<string, Record<DimensionType, string>> = {
  PostgreSQL: {
    string: `text; character varying(255); "char"; bpchar; name; uuid; citext; bytea; inet; macaddr; json; jsonb; xml; tsvector;
      integer[]; text[]; ARRAY; bit(3); interval; interval day to second; time without time zone; timetz; int4range; tsrange; daterange`,
    number:
      'smallint; integer; bigint; int4; numeric; numeric(10,2); decimal; real; double precision; float8; money; bigserial',
    time: 'date; timestamp without time zone; timestamp(6) with time zone; timestamptz',
    boolean: 'boolean; bool',
  },
  Snowflake: {
    string: `VARCHAR(16777216); CHAR; STRING; TEXT; NVARCHAR; BINARY(8388608); VARIANT; OBJECT; ARRAY; GEOGRAPHY; GEOMETRY;
      VECTOR(FLOAT, 3); UUID; TIME(9); TIME`,
    number: 'NUMBER(38,0); NUMBER; DECIMAL; INT; BYTEINT; FLOAT; FLOAT8; DOUBLE PRECISION; REAL; DECFLOAT; FIXED',
    time: 'DATE; DATETIME; TIMESTAMP; TIMESTAMP_LTZ(9); TIMESTAMP_NTZ; TIMESTAMP_TZ; TIMESTAMPNTZ',
    boolean: 'BOOLEAN',
  },
  BigQuery: {
    string: `STRING; STRING(10); BYTES; JSON; GEOGRAPHY; INTERVAL; TIME; ARRAY<INT64>; STRUCT<a INT64, b DATE>; RECORD; RANGE<DATE>;
      ARRAY<STRUCT<at TIMESTAMP>>`,
    number: 'INT64; INTEGER; NUMERIC; NUMERIC(10, 2); BIGNUMERIC; BIGDECIMAL; FLOAT64; FLOAT',
    time: 'DATE; DATETIME; TIMESTAMP',
    boolean: 'BOOL; BOOLEAN',
  },
  Redshift: {
    string: `character varying(256); varchar; nchar(3); bpchar; text; super; varbyte(1000); geometry; time without time zone; timetz;
      time with time zone; intervald2s; intervaly2m`,
    number: 'smallint; int2; integer; bigint; numeric(18,4); real; float4; double precision',
    time: 'date; timestamp without time zone; timestamptz',
    boolean: 'boolean; bool',
  },
  Databricks: {
    string:
      'string; varchar(3); binary; array<int>; map<string,timestamp>; struct<a:int>; variant; object; interval day to second',
    number: 'tinyint; byte; short; int; long; bigint; decimal(10,0); dec; float; real; double',
    time: 'date; timestamp; timestamp_ntz; timestamp_ltz',
    boolean: 'boolean',
  },
  DuckDB: {
    string: `VARCHAR; BLOB; BIT; UUID; ENUM('a', 'b'); INTEGER[]; INTEGER[3]; STRUCT(a DECIMAL(10,2)); MAP(VARCHAR, DATE);
      UNION(n INTEGER, s VARCHAR); JSON; TIME; TIMETZ; TIME WITH TIME ZONE; INTERVAL; DATE[]`,
    number:
      'TINYINT; UTINYINT; HUGEINT; UHUGEINT; UINTEGER; BIGINT; SIGNED; DECIMAL(18,3); DOUBLE; FLOAT; VARINT; BIGNUM',
    time: 'DATE; TIMESTAMP; DATETIME; TIMESTAMP WITH TIME ZONE; TIMESTAMP_S; TIMESTAMP_MS; TIMESTAMP_NS',
    boolean: 'BOOLEAN; LOGICAL',
  },
  ClickHouse: {
    string: `String; FixedString(16); LowCardinality(String); Nullable(UUID); Enum8('a' = 1); IPv4; Array(DateTime); Map(String, UInt8);
      Tuple(a Int8); JSON`,
    number:
      'UInt8; Int256; Float32; BFloat16; Decimal(9, 2); Decimal64(2); Nullable(Float64); LowCardinality(Nullable(UInt16))',
    time: "Date; Date32; DateTime('UTC'); DateTime64(3); Nullable(Date)",
    boolean: 'Bool; Nullable(Bool)',
  },
  Athena: {
    string: 'varchar; char(3); varbinary; array(varchar); map(varchar, int); row(a int); ipaddress; time',
    number: 'tinyint; integer; bigint; double; decimal(10,2)',
    time: 'date; timestamp; timestamp(3) with time zone',
    boolean: 'boolean',
  },
  MySQL: {
    string: "varchar(20); longtext; mediumtext; enum('a','b'); set('a'); blob; json; time",
    number: 'int unsigned; bigint(20) unsigned; mediumint; decimal(10,2) unsigned; double; float',
    time: 'date; datetime(6); timestamp',
    boolean: 'boolean',
  },
};

const rows = Object.entries(WAREHOUSES).flatMap(([warehouse, types]) =>
  Object.entries(types).map(([type, names]) => [warehouse, type, names.split(/;\s*/)] as const),
);

describe('a type of a warehouse', () => {
  it.each(rows)('of %s is %s: %j', (_warehouse, type, dataTypes) => {
    expect(dataTypes.map((dataType) => [dataType, typeOfDataType(dataType)])).toEqual(
      dataTypes.map((dataType) => [dataType, type]),
    );
  });

  it.each(['', 'hllsketch', 'point of no return', 'dated', 'integers'])('is not guessed: %j', (dataType) => {
    expect(typeOfDataType(dataType)).toBeUndefined();
  });
});

describe('a name of a column', () => {
  it.each([
    [undefined, ['name', 'cost_center_id', 'price_list', 'total_status', 'value_type', 'update', 'format', 'island']],
    ['time', ['created_at', 'order_date', 'date', 'timestamp_utc', 'event_ts']],
    ['boolean', ['is_late', 'has_total', 'deleted_flag']],
    ['number', ['amount', 'total_price', 'unit_cost', 'n_orders', 'conversion_pct', 'count']],
  ] as const)('tells %s: %j', (type, names) => {
    expect(names.map((name) => [name, typeOfName(name)])).toEqual(names.map((name) => [name, type]));
  });
});
