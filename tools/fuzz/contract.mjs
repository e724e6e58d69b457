import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../bench/processes.mjs';

const require = createRequire(join(root, 'package.json'));
const Ajv2020 = require('ajv/dist/2020').default;
const addFormats = require('ajv-formats').default;

const isJson = (mediaType) => /[/+]json$/.test(mediaType);

/** The document that the platform serves: its operations, and what their replies may be. */
export class Contract {
  #ajv = new Ajv2020({ strict: false, validateSchema: false });
  #validators = new Map();

  constructor(document) {
    addFormats(this.#ajv);
    this.#ajv.addFormat('int64', { type: 'number', validate: (value) => Number.isSafeInteger(value) });
    this.#ajv.addSchema(document, 'document');
    this.document = document;
    this.operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => describe(path, method.toUpperCase(), operation)),
    );
  }

  resolve(schema) {
    const { $ref, ...rest } = schema;
    if (!$ref) return schema;
    return { ...this.resolve(this.document.components.schemas[$ref.split('/').at(-1)]), ...rest };
  }

  /** The first thing about a documented reply that the document does not have; undefined when there is none. */
  problem(operation, status, contentType, text) {
    const content = operation.responses[status].content ?? {};
    if (Object.keys(content).length === 0) return text === '' ? undefined : 'a body where none is documented';
    const mediaType = contentType?.split(';')[0].trim();
    if (!content[mediaType]) return `content type ${mediaType}`;
    if (!isJson(mediaType)) return undefined;
    let body;
    try {
      body = JSON.parse(text);
    } catch {
      return 'a body that is no JSON';
    }
    const validate = this.#validator(operation, status, mediaType);
    if (validate(body)) return undefined;
    const [{ instancePath, message }] = validate.errors;
    return `${instancePath.replace(/\/\d+/g, '/N')} ${message}`;
  }

  #validator(operation, status, mediaType) {
    const keys = ['paths', operation.path, operation.method.toLowerCase(), 'responses', status, 'content', mediaType];
    const pointer = [...keys, 'schema'].map((key) =>
      encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1')),
    );
    const $ref = `document#/${pointer.join('/')}`;
    if (!this.#validators.has($ref)) this.#validators.set($ref, this.#ajv.compile({ $ref }));
    return this.#validators.get($ref);
  }
}

function describe(path, method, { operationId, parameters = [], requestBody, responses }) {
  const [mediaType] = Object.keys(requestBody?.content ?? {});
  const body = mediaType && { mediaType, ...requestBody.content[mediaType] };
  return { id: operationId, path, method, parameters, body, responses };
}
