import { typeOfDataType, typeOfName } from './column-types';

describe('a type of a warehouse', () => {
  it.each([
    [
      'string',
      [
        'varchar(20)',
        'TEXT',
        'character varying(3)',
        'uuid',
        'Enum8(1)',
        'bytes',
        'citext',
        'bit(3)',
        'LowCardinality(String)',
      ],
    ],
    ['string', ['array<int64>', 'int4[]', 'json', 'STRUCT<a INT64, b DATE>', 'map(varchar, int)', 'super', 'variant']],
    ['string', ['time', 'time without time zone', 'interval', 'interval day to second']],
    [
      'number',
      [
        'int',
        'INT64',
        'bigint',
        'UInt8',
        'numeric(10,2)',
        'NUMBER(38,0)',
        'double precision',
        'Nullable(Float64)',
        'decimal(4, 2)',
        'money',
      ],
    ],
    [
      'time',
      [
        'date',
        'timestamp',
        'timestamp(6) with time zone',
        'timestamptz',
        'TIMESTAMP_NTZ',
        'DateTime64(3)',
        'Nullable(Date)',
      ],
    ],
    ['boolean', ['bool', 'BOOLEAN', 'Nullable(Bool)']],
    [undefined, ['', 'hllsketch', 'point of no return']],
  ] as const)('is %s: %j', (type, dataTypes) => {
    expect(dataTypes.map((dataType) => [dataType, typeOfDataType(dataType)])).toEqual(
      dataTypes.map((dataType) => [dataType, type]),
    );
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
