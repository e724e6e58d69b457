import { gzipSync } from 'node:zlib';

const json = (value) => Buffer.from(JSON.stringify(value) ?? 'null');
const around = (value, before, after) => Buffer.concat([Buffer.from(before), json(value), Buffer.from(after)]);

/** What happens to a body on its way from a value to bytes. */
const wireForms = {
  plain: json,
  truncated: (value) => json(value).subarray(0, Math.floor(json(value).length / 2)),
  'invalid-utf8': (value) => Buffer.from(json(value).toString('latin1').replace(/[a-z]/, '\xff'), 'latin1'),
  'overlong-utf8': (value) => Buffer.from(json(value).toString('latin1').replace(/[a-z]/, '\xc0\x80'), 'latin1'),
  'lone-surrogate': (value) => Buffer.from(json(value).toString().replace(/:"/, ':"\\ud800')),
  nul: (value) => Buffer.from(json(value).toString().replace(/:"/, ':"\\u0000')),
  'duplicate-members': (value) =>
    Buffer.from(
      json(value)
        .toString()
        .replace(/^\{(.+)\}$/s, '{$1,$1}'),
    ),
  'byte-order-mark': (value) => around(value, '\ufeff', ''),
  trailing: (value) => around(value, '', ' x'),
  spaces: (value) => around(value, ' '.repeat(5_000), '\n'),
  'number-too-large': (value) =>
    Buffer.from(
      json(value)
        .toString()
        .replace(/:\d+|:"[^"]*"/, ':1e999'),
    ),
  'many-digits': (value) =>
    Buffer.from(
      json(value)
        .toString()
        .replace(/:\d+|:"[^"]*"/, `:${'9'.repeat(400)}`),
    ),
  deep: (value) =>
    Buffer.from(
      json(value)
        .toString()
        .replace(/:(\d+|"[^"]*")/, `:${'['.repeat(20_000)}${']'.repeat(20_000)}`),
    ),
  'deep-open': () => Buffer.from('['.repeat(50_000)),
  utf16: (value) => Buffer.from(json(value).toString(), 'utf16le'),
  gzip: (value) => gzipSync(json(value)),
  empty: () => Buffer.alloc(0),
  blank: () => Buffer.from(' '),
  scalar: () => Buffer.from('1'),
};
export const wires = Object.keys(wireForms);

export const bytesOf = (value, wire) =>
  value === undefined && wire === 'plain' ? undefined : wireForms[wire](value ?? {});
