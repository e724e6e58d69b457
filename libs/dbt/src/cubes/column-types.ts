/** Types of dimensions that columns become. */
export type DimensionType = 'string' | 'number' | 'time' | 'boolean';

const PARAMETERS = /\([^)]*\)/g;
const CONTAINERS =
  /^(array|map|struct|row|tuple|union|json|jsonb|variant|object|super|list|record|vector|set)\b|\[\d*\]$|range$/;
const WRAPPER = /^(?:nullable|lowcardinality)\((.*)\)$/;
/** A time of day or a duration is no point in time. */
const NO_POINT_IN_TIME = /^(time(tz)?|interval\w*)\b/;
const BOOLEAN = /^(bool(ean)?|logical)$/;
const TIME =
  /^(timestamp(_?[a-z]{1,3})?|datetime(2|offset|32|64)?|smalldatetime|date(32)?)( with(out)?( local)? time zone)?$/;
const NUMBER = new RegExp(
  [
    '^u?(tiny|small|medium|big|huge)?int(eger)?\\d*$',
    '^(byte(int)?|smallserial|serial|bigserial|long|short|signed|varint|bignum)$',
    '^(dec(imal|float)?\\d*|numeric|number|bignumeric|bigdecimal|b?float\\d*|double( precision)?|real|money|fixed)$',
  ].join('|'),
);
const TEXT =
  /^("char"|n?(var)?char|character|n?text|(tiny|medium|long)?(text|blob)|string|uuid|enum|citext|bpchar|name|clob|fixedstring|binary|var(binary|byte)|bytes|bytea|inet|cidr|ip|macaddr|bit|xml|geo|tsvector)/;

/** The type of a dimension over a column of that type, whatever warehouse it is of; undefined when that is not known. */
export function typeOfDataType(dataType: string): DimensionType | undefined {
  const type = dataType.toLowerCase().trim();
  const wrapped = WRAPPER.exec(type)?.[1];
  if (wrapped !== undefined) return typeOfDataType(wrapped);
  const bare = type
    .replace(PARAMETERS, '')
    .replace(/<.*>/, '')
    .replace(/ (un)?signed$/, '')
    .replace(/\s+/g, ' ')
    .trim();
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
