import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv/dist/2020';

export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace: string;
    uid: string;
    resourceVersion: string;
    creationTimestamp: string;
    deletionTimestamp?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    ownerReferences?: { uid: string }[];
  };
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
  immutable?: boolean;
}

/** A refusal as API servers put it. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    readonly reason: string,
    message: string = reason,
  ) {
    super(message);
  }
}

const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$/;
const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;
const SERVICE_NAME = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const MIB = 2 ** 20;

const schemaFile = resolve(__dirname, '../../../../../tools/deploy/kubernetes-schema.json');
const { kinds, $defs } = JSON.parse(readFileSync(schemaFile, 'utf8')) as {
  kinds: Record<string, string>;
  $defs: object;
};
const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false }).addSchema({ $id: 'kubernetes', $defs });
const validators = new Map<string, ValidateFunction>();

/** What a published schema says against a manifest. */
function schemaProblems({ apiVersion, kind }: KubernetesObject, manifest: unknown): string[] {
  const key = `${apiVersion}/${kind}`;
  const definition = kinds[key];
  if (definition === undefined) return [`${key} is no kind that is known here`];
  const validate = validators.get(key) ?? ajv.compile({ $ref: `kubernetes#/$defs/${definition}` });
  validators.set(key, validate);
  if (validate(manifest)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** What API servers check beyond the schema. */
function ruleProblems(object: KubernetesObject): string[] {
  const { kind, metadata } = object;
  const { name, labels = {} } = metadata;
  const [data, binaryData] = [
    Object.values(object.data ?? {}).join(''),
    Object.values(object.binaryData ?? {}).join(''),
  ];
  const encoded = kind === 'Secret' ? data : binaryData;
  const bytes = data.length + binaryData.length - (encoded.length >> 2);
  return [
    ...((kind === 'Service' ? SERVICE_NAME : NAME).test(name) ? [] : [`metadata.name: ${name}`]),
    ...Object.entries(labels).flatMap(([key, value]) => (LABEL_VALUE.test(value) ? [] : [`metadata.labels: ${key}`])),
    ...(bytes > MIB ? [`data: Too long: ${bytes}`] : []),
  ];
}

/** @throws Refusal (422) for what an API server does not take */
function check(body: KubernetesObject, namespace: string): void {
  const problems = [...schemaProblems(body, body), ...ruleProblems(body)];
  if (body.metadata.namespace !== namespace) problems.push('metadata.namespace');
  if (problems.length === 0) return;
  throw new Refusal(422, 'Invalid', `${body.kind} "${body.metadata.name}" is invalid: ${problems.join()}`);
}

/** The objects of a cluster: kept by name, changed under their versions, and ended with their owners. */
export class ObjectStore {
  readonly objects = new Map<string, KubernetesObject>();
  private version = 0;

  /** @param changed hears of what has come and gone */
  constructor(private readonly changed: (object: KubernetesObject, how: 'added' | 'deleted') => void) {}

  list(kind: string, selector = ''): KubernetesObject[] {
    const wanted = selector
      .split(',')
      .filter(Boolean)
      .map((each) => each.split('='));
    return [...this.objects.values()].filter(
      ({ kind: own, metadata }) =>
        own === kind && wanted.every(([name = '', value]) => metadata.labels?.[name] === value),
    );
  }

  get(kind: string, name: string): KubernetesObject {
    const object = this.objects.get(`${kind}/${name}`);
    if (!object) throw new Refusal(404, 'NotFound', `${kind} "${name}" not found`);
    return object;
  }

  create(body: KubernetesObject, namespace: string): KubernetesObject {
    const { name } = body.metadata;
    check(body, namespace);
    if (this.objects.has(`${body.kind}/${name}`)) throw new Refusal(409, 'AlreadyExists');
    const object = structuredClone(body);
    Object.assign(object.metadata, { uid: randomUUID(), creationTimestamp: new Date().toISOString() });
    this.put(object);
    this.changed(object, 'added');
    this.collect();
    return object;
  }

  /** A new content for what is there and may change, under any version. */
  replace(body: KubernetesObject, namespace: string): KubernetesObject {
    check(body, namespace);
    const { kind, metadata, immutable } = this.get(body.kind, body.metadata.name);
    if (immutable === true) throw new Refusal(422, 'Invalid', `${kind} "${metadata.name}" is immutable`);
    const { uid, creationTimestamp } = metadata;
    const object = structuredClone({ ...body, metadata: { ...body.metadata, uid, creationTimestamp } });
    this.put(object);
    return object;
  }

  /** A merge patch of metadata, under its version. */
  patch(kind: string, name: string, patch: Partial<KubernetesObject>): KubernetesObject {
    const object = structuredClone(this.get(kind, name));
    const { resourceVersion, annotations, labels } = patch.metadata ?? {};
    if (resourceVersion !== undefined && resourceVersion !== object.metadata.resourceVersion) {
      throw new Refusal(409, 'Conflict');
    }
    object.metadata.annotations = { ...object.metadata.annotations, ...annotations };
    object.metadata.labels = { ...object.metadata.labels, ...labels };
    this.put(object);
    return object;
  }

  delete(kind: string, name: string, preconditions: { uid?: string; resourceVersion?: string } = {}): KubernetesObject {
    const object = this.get(kind, name);
    const { uid, resourceVersion } = object.metadata;
    if ((preconditions.uid ?? uid) !== uid || (preconditions.resourceVersion ?? resourceVersion) !== resourceVersion) {
      throw new Refusal(409, 'Conflict');
    }
    this.objects.delete(`${kind}/${name}`);
    this.changed(object, 'deleted');
    this.collect();
    return object;
  }

  put(object: KubernetesObject): void {
    object.metadata.resourceVersion = String((this.version += 1));
    this.objects.set(`${object.kind}/${object.metadata.name}`, object);
  }

  /** The garbage collector: whatever has lost all of its owners goes. */
  private collect(): void {
    const uids = new Set([...this.objects.values()].map(({ metadata }) => metadata.uid));
    for (const { kind, metadata } of [...this.objects.values()]) {
      const { ownerReferences = [], name } = metadata;
      const isOrphan = ownerReferences.length > 0 && !ownerReferences.some(({ uid }) => uids.has(uid));
      if (isOrphan && this.objects.has(`${kind}/${name}`)) this.delete(kind, name);
    }
  }
}
