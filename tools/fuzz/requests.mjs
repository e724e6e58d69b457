import fc from 'fast-check';
import { hostileText } from './hostile-values.mjs';
import { filter, scimBody } from './scim-values.mjs';
import { Reference, referenceKind, SchemaValues } from './schema-values.mjs';
import { kindOf } from './world.mjs';
import { bytesOf, wires } from './wire.mjs';

/** Of a hundred places in half of the requests this many are hostile. */
const HOSTILITY = 8;
/** A cursor belongs to one list, and the two ways to page exclude each other. */
const PAGING = ['after', 'offset', 'limit'];
const BOUNDARY = 'fuzz-boundary';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

/** Requests of each operation of the contract, as plans that are filled in when they are sent. */
export class RequestPlans {
  #plans = new Map();

  constructor(contract) {
    this.schemas = [new SchemaValues(contract, 0), new SchemaValues(contract, HOSTILITY)];
  }

  of(operation) {
    if (!this.#plans.has(operation)) {
      this.#plans.set(operation, fc.oneof(...this.schemas.map((values) => plan(operation, values))));
    }
    return this.#plans.get(operation);
  }
}

function plan(operation, values) {
  const hostile = values.hostility > 0;
  return fc.record({
    operation: fc.constant(operation),
    path: record(operation, 'path', (parameter) => pathValue(operation, parameter, values)),
    query: record(operation, 'query', (parameter) => queryValue(parameter, values), hostile ? [] : PAGING),
    headers: fc.oneof(
      { weight: 5, arbitrary: documentedHeaders(operation, hostile ? headerValue : plainHeader) },
      { weight: hostile ? 2 : 0, arbitrary: headers },
    ),
    credential: credential(operation, hostile),
    method: often(operation.method, hostile && fc.constantFrom(...METHODS)),
    repeated: often(false, hostile && fc.constant(true)),
    body: operation.body
      ? fc.option(bodyValue(operation, values), { freq: hostile ? 15 : 200, nil: undefined })
      : fc.constant(undefined),
    wire: often('plain', hostile && fc.constantFrom(...wires), 4),
    behaviour: often('patient', hostile && fc.constantFrom('leave', 'slow', 'cut'), 30),
  });
}

/** Nearly always the usual value. */
const often = (usual, others, weight = 25) =>
  others ? fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: others }) : fc.constant(usual);

const credential = ({ path }, hostile) => {
  const usual = path.startsWith('/api/scim/') ? 'scim' : 'admin';
  return often(usual, fc.constantFrom('admin', 'limited', 'viewer', 'scim', 'none', 'garbage'), hostile ? 5 : 12);
};

function record(operation, place, valueOf, without = []) {
  const parameters = operation.parameters.filter(({ in: where, name }) => where === place && !without.includes(name));
  const requiredKeys = parameters.filter(({ required }) => required).map(({ name }) => name);
  return fc.record(Object.fromEntries(parameters.map((each) => [each.name, valueOf(each)])), { requiredKeys });
}

function pathValue({ path }, { name, schema }, values) {
  const segments = path.split('/');
  const before = segments[segments.indexOf(`{${name}}`) - 1];
  const kind = name === 'id' ? kindOf(before) : referenceKind(name);
  const existing = fc.nat(30).map((index) => new Reference(kind, index, schema.type));
  if (values.hostility === 0) return existing;
  return fc.oneof(
    { weight: 6, arbitrary: existing },
    { weight: 1, arbitrary: values.of(schema, name) },
    { weight: 1, arbitrary: hostileText },
  );
}

function queryValue({ name, schema }, values) {
  if (name === 'filter') return filter;
  const usual = values.of(schema, name);
  return values.hostility === 0
    ? usual
    : fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: hostileText });
}

const documentedHeaders = ({ parameters, method }, value) => {
  const names = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
  const always = method === 'GET' ? ['If-None-Match'] : ['Idempotency-Key'];
  const model = Object.fromEntries([...names, ...always].map((name) => [name, value]));
  return fc.option(fc.record(model, { requiredKeys: [] }), { freq: 2, nil: {} });
};

const headerValue = fc.oneof(
  fc.constantFrom(
    '*',
    'W/"1"',
    'W/"2"',
    '"x"',
    'a, b',
    '',
    'W/"',
    'ping',
    `sha256=${'0'.repeat(64)}`,
    'x'.repeat(256),
    'x'.repeat(4_000),
  ),
  fc.nat(200).map((number) => `key-${number}`),
  hostileText,
);

const plainHeader = fc.nat(1_000_000).map((number) => `key-${number}`);

const headers = fc.record(
  {
    'Content-Type': fc.constantFrom(
      ...[
        'application/json',
        'application/scim+json',
        'application/json; charset=latin1',
        'application/json;charset=utf-16',
      ],
      ...[
        'text/plain',
        'APPLICATION/JSON',
        'multipart/form-data',
        'application/json; charset="utf-8"',
        '/',
        ';',
        'application/x-www-form-urlencoded',
      ],
    ),
    Accept: fc.constantFrom('text/html', 'application/xml;q=1', '*/*;q=0', ''),
    'Content-Encoding': fc.constantFrom('gzip', 'br', 'identity', 'x'),
    'X-Request-Id': headerValue,
    traceparent: fc.constantFrom('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00-0-0-0', 'x'),
    'Idempotency-Key': headerValue,
    Range: fc.constantFrom('bytes=0-1', 'bytes=-1', 'x'),
    Expect: fc.constantFrom('100-continue', '100-Continue', 'x'),
    'X-Forwarded-For': fc.constantFrom('203.0.113.7', 'x, y', '::1'),
    'X-HTTP-Method-Override': fc.constant('DELETE'),
    Cookie: headerValue,
  },
  { requiredKeys: [] },
);

const bodyValue = (operation, values) =>
  (operation.path.startsWith('/api/scim/') && scimBody(operation)) || values.of(operation.body.schema);

/** A plan as bytes: what is asked for by name becomes what exists now. */
export function render(made, world) {
  const { operation } = made;
  const body = filledIn(made.body, world);
  const mediaType = operation.body?.mediaType;
  const isForm = mediaType === 'multipart/form-data' && made.body !== undefined;
  const path = pathOf(operation, made.path, world);
  const content = isForm ? formOf(body, made.wire) : bytesOf(body, made.wire);
  const type = isForm ? `${mediaType}; boundary=${BOUNDARY}` : mediaType;
  return {
    method: made.method,
    target: `${path}${queryOf(made, world)}`,
    isOfOperation: made.method === operation.method && !/\/(\/|$)/.test(path),
    headers: { ...(content && type && { 'Content-Type': type }), ...onlyBytes(made.headers) },
    credential: made.credential,
    body: content,
    behaviour: made.behaviour,
  };
}

function filledIn(value, world) {
  if (value instanceof Reference) return value.resolve(world);
  if (Array.isArray(value)) return value.map((each) => filledIn(each, world));
  if (value === null || typeof value !== 'object') return typeof value === 'string' ? atHome(value) : value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filledIn(each, world)]));
}

/** No value may send the platform to somebody else's server. */
const atHome = (text) =>
  text.replace(/(:\/\/)(?!127\.0\.0\.1)[^/\s"]*/g, '$1127.0.0.1:9').replace(/@[\w.-]+:(?=[\w/])/g, '@127.0.0.1:');

const pathOf = ({ path }, given, world) =>
  path.replace(/\{(\w+)\}/g, (_whole, name) => encoded(textValue(filledIn(given[name], world))));

function queryOf({ query, repeated }, world) {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const values = [filledIn(value, world)].flat();
    return [...values, ...(repeated ? values : [])].map((each) => `${name}=${encoded(textValue(each))}`);
  });
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

const textValue = (value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Every byte that may not stand in a target as itself, percent-encoded; lone surrogates become what UTF-8 makes of them. */
const encoded = (text) =>
  [...Buffer.from(text)]
    .map((byte) =>
      /[\w.~-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');

/** The client's library refuses to send what is no header; raw sockets do that. */
const onlyBytes = (headers) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')]),
  );

function formOf(fields, wire) {
  const parts = Object.entries(fields ?? {}).map(([name, value]) => {
    const text = name === 'transaction' ? JSON.stringify({ id: value }) : textValue(value);
    const file = name === 'file' ? '; filename="a.yml"\r\nContent-Type: text/plain' : '';
    return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${text}\r\n`;
  });
  const whole = Buffer.from(`${parts.join('')}--${BOUNDARY}--\r\n`);
  return wire === 'truncated' ? whole.subarray(0, whole.length / 2) : whole;
}
