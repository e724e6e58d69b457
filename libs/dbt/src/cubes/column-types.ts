/** Types of dimensions that columns become. */
export type DimensionType = 'string' | 'number' | 'time' | 'boolean';

const PARAMETERS = /\([^)]*\)/g;
const CONTAINERS = /^(array|map|struct|row|json|jsonb|variant|object|super|list|record)\b|\[\]$/;
const WRAPPER = /^(?:nullable|lowcardinality)\((.*)\)$/;
/** A time of day or a duration is no point in time. */
const NO_POINT_IN_TIME = /^(time|interval)\b/;
const BOOLEAN = /^bool(ean)?$/;
const TIME = /^(timestamp|datetime|smalldatetime|date)/;
const NUMBER = new RegExp(
  [
    '^u?(tiny|small|medium|big|huge)?int(eger)?\\d*$',
    '^(byteint|smallserial|serial|bigserial|long|short)$',
    '^(dec(imal)?\\d*|numeric|number|bignumeric|bigdecimal|float\\d*|double( precision)?|real|money|fixed)( unsigned)?$',
  ].join('|'),
);
const TEXT =
  /^(n?(var)?char|character|text|n?text|string|uuid|enum|citext|bpchar|name|clob|fixedstring|binary|varbinary|bytes?|bytea|blob|inet|cidr|bit|xml|geo)/;

/** The type of a dimension over a column of that type, whatever warehouse it is of; undefined when that is not known. */
export function typeOfDataType(dataType: string): DimensionType | undefined {
  const type = dataType.toLowerCase().trim();
  const wrapped = WRAPPER.exec(type)?.[1];
  if (wrapped !== undefined) return typeOfDataType(wrapped);
  const bare = type.replace(PARAMETERS, '').replace(/<.*>/, '').replace(/\s+/g, ' ').trim();
  if (CONTAINERS.test(bare)) return 'string';
  if (BOOLEAN.test(bare)) return 'boolean';
  if (TIME.test(bare)) return 'time';
  if (NO_POINT_IN_TIME.test(bare)) return 'string';
  if (NUMBER.test(bare)) return 'number';
  return TEXT.test(bare) ? 'string' : undefined;
}

const TIME_NAME = /(^|_)(at|date|ts|timestamp|datetime)$|^(date|timestamp)(_|$)/;
const BOOLEAN_NAME = /^(is|has|was|can)_|_flag$/;
const NUMBER_NAME =
  /(^|_)(amount|price|cost|total|value|count|qty|quantity|revenue|score|ratio|pct|percent)(_|$)|^(n|num|total|sum|avg)_/;

const NO_NUMBER =
  /(^|_)(id|ids|key|code|name|type|kind|currency|category|label|status|unit|tier|group|range|band|list|reason)$/;

/** What the name of a column tells about its type. */
export function typeOfName(column: string): DimensionType | undefined {
  const name = column.toLowerCase();
  if (TIME_NAME.test(name)) return 'time';
  if (BOOLEAN_NAME.test(name)) return 'boolean';
  return NUMBER_NAME.test(name) && !NO_NUMBER.test(name) ? 'number' : undefined;
}
