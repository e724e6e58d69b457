import fc from 'fast-check';

const CRLF = '\r\n';
const lines = (...parts) => `${parts.join(CRLF)}${CRLF}${CRLF}`;
const HIDDEN = 'GET /api/v1/hidden-by-framing HTTP/1.1';
const authorized = 'Authorization: Bearer KEY';
const host = 'Host: HOST';
const ME = 'GET /api/v1/users/me HTTP/1.1';
const CREATE = 'POST /api/v1/user-groups HTTP/1.1';
const jsonType = 'Content-Type: application/json';
const hidden = lines(HIDDEN, host, authorized);

/**
 * Bytes for a socket of their own. HOST and KEY stand for what they say. `requests` is how many requests are in them by any reading
 * that a server may have, so that a reply to one more is one to what was hidden in a body.
 */
const still = {
  'no request line': { bytes: CRLF.repeat(20) },
  'half a request line': { bytes: 'GET /api/v1/us' },
  'headers that do not end': { bytes: `${ME}${CRLF}${host}${CRLF}X-A: ` },
  'TLS on a plain port': { bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' },
  'HTTP/2 preface': { bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
  'HTTP/0.9': { bytes: 'GET /\r\n' },
  'unknown version': { bytes: lines('GET / HTTP/9.9', host) },
  'HTTP/1.0 without a host': { bytes: lines('GET /api/v1/users/me HTTP/1.0', authorized) },
  'no host': { bytes: lines(ME, authorized) },
  'two hosts': { bytes: lines(ME, host, 'Host: other.test', authorized) },
  'unknown host': { bytes: lines(ME, 'Host: other.test', authorized) },
  'hostile host': { bytes: lines(ME, 'Host: a b\t:99999999/', authorized) },
  'absolute target': { bytes: lines('GET http://other.test/api/v1/users/me HTTP/1.1', host, authorized) },
  'target *': { bytes: lines('OPTIONS * HTTP/1.1', host) },
  CONNECT: { bytes: lines('CONNECT 127.0.0.1:9 HTTP/1.1', host) },
  upgrade: { bytes: lines(ME, host, 'Connection: Upgrade', 'Upgrade: websocket', authorized) },
  'h2c upgrade': {
    bytes: lines(ME, host, 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMA', authorized),
  },
  'bytes in the target': { bytes: lines('GET /api/v1/\xff\x00\x01 HTTP/1.1', host) },
  'dots in the target': { bytes: lines('GET /api/v1/../../etc/passwd HTTP/1.1', host, authorized) },
  'encoded slashes': { bytes: lines('GET /api%2fv1%2fusers%2fme HTTP/1.1', host, authorized) },
  'broken escapes': { bytes: lines('GET /api/v1/user-groups/%zz%?first=%e0%80 HTTP/1.1', host, authorized) },
  'long target': { bytes: lines(`GET /${'a'.repeat(60_000)} HTTP/1.1`, host) },
  'long query': { bytes: lines(`GET /api/v1/users?search=${'a'.repeat(12_000)} HTTP/1.1`, host, authorized) },
  'many headers': { bytes: lines(ME, host, ...Array.from({ length: 3_000 }, (_v, i) => `X-${i}: 1`)) },
  'long header': { bytes: lines(ME, host, `X-A: ${'a'.repeat(80_000)}`) },
  'folded header': { bytes: lines(ME, host, 'X-A: 1', ' 2', authorized) },
  'space before the colon': { bytes: lines(ME, host, 'X-A : 1', authorized) },
  'NUL in a header': { bytes: lines(ME, host, 'X-A: a\0b', authorized) },
  'line feeds alone': { bytes: `${ME}\n${host}\n${authorized}\n\n` },
  'carriage returns alone': { bytes: `${ME}\r${host}\r\r` },
  'two credentials': { bytes: lines(ME, host, authorized, 'Authorization: Bearer other') },
  'long credential': { bytes: lines(ME, host, `Authorization: Bearer ${'a'.repeat(10_000)}`) },
  'expectation without a body': {
    bytes: lines(CREATE, host, authorized, jsonType, 'Expect: 100-continue', 'Content-Length: 10'),
  },
  'body that ends early': { bytes: `${lines(CREATE, host, authorized, jsonType, 'Content-Length: 100')}{"name":` },
  'endless promise': {
    bytes: `${lines(CREATE, host, authorized, jsonType, 'Content-Length: 99999999999999')}{"name":`,
  },
  'negative length': { bytes: `${lines(CREATE, host, authorized, jsonType, 'Content-Length: -1')}{}` },
  'length in words': { bytes: `${lines(CREATE, host, authorized, jsonType, 'Content-Length: 0x10')}{}` },
  'two lengths': {
    bytes: `${lines(CREATE, host, authorized, jsonType, 'Content-Length: 2', 'Content-Length: 0')}${hidden}`,
  },
  'length and chunks': {
    bytes: `${lines(CREATE, host, authorized, jsonType, 'Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\n${hidden}`,
  },
  'chunks twice': {
    bytes: `${lines(CREATE, host, authorized, jsonType, 'Transfer-Encoding: chunked, chunked')}0\r\n\r\n${hidden}`,
  },
  'chunks and identity': {
    bytes: `${lines(CREATE, host, authorized, jsonType, 'Transfer-Encoding: chunked, identity')}0\r\n\r\n${hidden}`,
  },
  'encoding with a tab': {
    bytes: `${lines(CREATE, host, authorized, jsonType, 'Transfer-Encoding:\tchunked\x0b', 'Content-Length: 2')}{}${hidden}`,
  },
  'chunk of a negative size': {
    bytes: `${lines(CREATE, host, authorized, jsonType, 'Transfer-Encoding: chunked')}-1\r\n{}\r\n0\r\n\r\n`,
  },
  'chunk of a huge size': {
    bytes: `${lines(CREATE, host, authorized, jsonType, 'Transfer-Encoding: chunked')}ffffffffffffffff\r\n{}\r\n0\r\n\r\n`,
  },
  'long chunk extension': {
    bytes: `${lines(CREATE, host, authorized, jsonType, 'Transfer-Encoding: chunked')}2;${'a'.repeat(40_000)}\r\n{}\r\n0\r\n\r\n`,
  },
  trailers: {
    bytes: `${lines(CREATE, host, authorized, jsonType, 'Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\nAuthorization: x\r\n\r\n`,
  },
  'body of a GET': { bytes: `${lines(ME, host, authorized, `Content-Length: ${hidden.length}`)}${hidden}` },
  'ten in a row': { bytes: lines(ME, host, authorized).repeat(10), requests: 10 },
  'writes in a row': {
    bytes:
      `${lines(CREATE, host, authorized, jsonType, 'Content-Length: 2')}{}`.repeat(3) + lines(ME, host, authorized),
    requests: 4,
  },
  'upload that ends early': {
    bytes: `${lines('POST /build/api/v1/deployments/DEPLOYMENT/data-model/upload/file HTTP/1.1', host, authorized, 'Content-Type: multipart/form-data; boundary=b', 'Content-Length: 5000')}--b\r\nContent-Disposition: form-data; name="transaction"\r\n\r\n{"id":"UPLOAD"}\r\n--b\r\nContent-Disposition: form-data; name="fileName"\r\n\r\nmodel/cut.yml\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\ncubes`,
  },
};

/** How the bytes go out, and how the client leaves. */
const manner = fc.record({
  pieces: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.integer({ min: 2, max: 12 }) }),
  leaves: fc.constantFrom('waits', 'waits', 'waits', 'ends', 'resets'),
});

const known = fc
  .constantFrom(...Object.entries(still))
  .map(([name, { bytes, requests = 1 }]) => ({ name, bytes, requests }));

/** A good request with some of its bytes changed. */
const broken = fc
  .tuple(
    fc.constantFrom(lines(ME, host, authorized), `${lines(CREATE, host, authorized, jsonType, 'Content-Length: 2')}{}`),
    fc.array(fc.tuple(fc.nat(150), fc.nat(255)), { minLength: 1, maxLength: 4 }),
  )
  .map(([text, changes]) => {
    const bytes = [...text];
    for (const [at, byte] of changes) bytes[at % bytes.length] = String.fromCharCode(byte);
    return { name: 'a request with changed bytes', bytes: bytes.join(''), requests: 2 };
  });

export const rawCase = fc.record({
  what: fc.oneof({ weight: 3, arbitrary: known }, { weight: 1, arbitrary: broken }),
  manner,
});
