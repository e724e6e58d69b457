import { dataDocument, operation, operations, publicDocument, type OperationId } from './index';
import { declaresStatus, bodyValidator, parametersValidator, replyValidator } from './schema-registry';

type Visit = (key: string, value: unknown, trail: readonly string[]) => void;

function walk(node: unknown, visit: Visit, trail: readonly string[] = []): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    visit(key, value, trail);
    walk(value, visit, [...trail, key]);
  }
}

interface SchemaNode {
  $ref?: string;
  allOf?: SchemaNode[];
  properties?: Record<string, unknown>;
}

const publicOperations = operations.filter(({ internal }) => !internal);

describe.each([
  ['platform', publicDocument],
  ['data API', dataDocument],
])('the served document of the %s', (_name, served) => {
  it('refers to schemas and security schemes alone, all of which it has', () => {
    const references = new Set<string>();
    walk(served, (key, value) => key === '$ref' && typeof value === 'string' && references.add(value));
    const foreign = [...references].filter((reference) => {
      const [, bucket = '', name = ''] = /^#\/components\/(schemas|securitySchemes)\/([^/]+)$/.exec(reference) ?? [];
      return served.components[bucket]?.[name] === undefined;
    });
    expect(references.size).toBeGreaterThan(10);
    expect(foreign).toEqual([]);
  });

  it('shows no vendor extension', () => {
    const extensions: string[] = [];
    walk(served, (key, _value, trail) => key.startsWith('x-') && extensions.push([...trail, key].join('/')));
    expect(extensions).toEqual([]);
  });

  it('has no component that nothing refers to', () => {
    const text = JSON.stringify(served);
    const unused = Object.keys(served.components['schemas'] ?? {}).filter(
      (name) => !text.includes(`"#/components/schemas/${name}"`),
    );
    expect(unused).toEqual([]);
  });
});

describe('the served document', () => {
  it('has exactly the operations that are not internal', () => {
    const listed = Object.values(publicDocument.paths).flatMap((item) =>
      Object.values(item).map((each) => each.operationId),
    );
    expect(listed.sort()).toEqual(publicOperations.map(({ operationId }) => operationId).sort());
    expect(Object.keys(publicDocument.paths).filter((path) => path.startsWith('/internal'))).toEqual([]);
  });
});

describe('the operation table', () => {
  it('refuses an unknown id', () => {
    expect(() => operation('nothing' as OperationId)).toThrow('The contract has no operation "nothing"');
  });

  it('gives every operation an id of its own and a route of its own', () => {
    const unique = (values: readonly string[]) => new Set(values).size;
    expect(unique(operations.map(({ operationId }) => operationId))).toBe(operations.length);
    expect(unique(operations.map(({ method, path }) => `${method} ${path}`))).toBe(operations.length);
  });

  it('names an owner, a permission and, for every mutation, an audit event', () => {
    const unowned = operations.filter(({ service, access }) => !service || !access.permission);
    const unaudited = publicOperations.filter(
      // What another system reports is recorded as what it leads to.
      ({ method, audit, rawBody }) => method !== 'GET' && !rawBody && !audit?.event,
    );
    expect([...unowned, ...unaudited].map(({ operationId }) => operationId)).toEqual([]);
  });

  it('demands a permission of every operation that touches a deployment, and names its parameter', () => {
    const touching = publicOperations.filter(({ path }) => path.includes('{deploymentId}'));
    // Webhooks bring a token or a signature, which the service checks.
    const webhooks: readonly string[] = ['receiveGitRemoteWebhook', 'receiveDbtWebhook'];
    const guarded = touching.filter(({ operationId }) => !webhooks.includes(operationId));
    const open = guarded.filter((each) => each.access.scope !== 'deployment' || each.access.permission === 'public');
    expect(touching.length).toBeGreaterThan(20);
    expect(open).toEqual([]);
  });

  it("keeps limited credentials from whatever changes the account, apart from what is the caller's own", () => {
    const changing = operations.filter(({ internal, method }) => internal || method !== 'GET');
    const ofOthers = changing.filter(
      ({ access }) => !['public', 'system', 'signed-in', 'self'].includes(access.permission),
    );
    // Their deployment is in the body, or that of the dashboard or agent: the service asks whether the credential reaches it.
    const findTheirDeployment = [
      ...['abortChat', 'callMcp'],
      ...['createDashboardComment', 'describeEmbeddedDashboard', 'drawEmbeddedDashboard', 'generateSession'],
      ...['postDashboardPythonRun', 'removeDashboardComment', 'setDashboardCommentResolved', 'streamChatState'],
      'updateDashboardComment',
    ];
    expect(ids(ofOthers.filter(({ access }) => access.scope === 'any')).sort()).toEqual(findTheirDeployment);
    expect(ofOthers.length).toBeGreaterThan(50);
  });

  it('tells clients that no credential is needed exactly where anybody may call', () => {
    const isDeclaredOpen = ({ path, method }: (typeof publicOperations)[number]) => {
      const { security } = publicDocument.paths[path]?.[method.toLowerCase()] as { security?: unknown[] };
      return security?.length === 0;
    };
    const open = publicOperations.filter(({ access }) => access.permission === 'public');
    expect(ids(publicOperations.filter(isDeclaredOpen))).toEqual(ids(open));
  });

  it('declares what can come before an operation is found, for each of them', () => {
    const undeclared = publicOperations.filter((each) => ![400, 431].every((status) => declaresStatus(each, status)));
    expect(ids(undeclared)).toEqual([]);
  });

  it('keeps internal operations off HTTP and public ones off the internal prefix', () => {
    expect(operations.filter(({ internal, path }) => internal !== path.startsWith('/internal/'))).toEqual([]);
  });

  it('compiles a validator for every parameter list, body and reply', () => {
    for (const each of operations) {
      expect(parametersValidator(each, 'path')).toBeDefined();
      expect(parametersValidator(each, 'query')).toBeDefined();
      if (!each.rawBody) expect(bodyValidator(each) !== undefined).toBe(each.hasBody);
      expect(declaresStatus(each, each.successStatus)).toBe(true);
      if (each.stream === 'response') continue;
      expect(replyValidator(each, each.successStatus) !== undefined).toBe(each.successStatus !== 204);
    }
  });

  it('audits only fields that the request has', () => {
    const missing = publicOperations.flatMap(({ operationId, audit, pathParameters, queryParameters }) => {
      const parameters = [...pathParameters, ...queryParameters].map(({ name }) => name);
      const properties = JSON.stringify(bodyProperties(operationId));
      const exists = (field: string) =>
        parameters.includes(field) || field.split('.').every((name) => properties.includes(`"${name}"`));
      return (audit?.fields ?? []).filter((field) => !exists(field)).map((field) => `${operationId} ${field}`);
    });
    expect(missing).toEqual([]);
  });

  it('audits the id of whatever is created, and no id that the reply lacks', () => {
    const names = ({ operationId, audit }: (typeof publicOperations)[number]) =>
      audit?.target !== undefined && replyProperties(operationId).includes('id');
    const creating = publicOperations.filter(({ audit, operationId }) => {
      return audit?.event.startsWith('Created') && replyProperties(operationId).includes('id');
    });
    expect(creating.length).toBeGreaterThan(10);
    expect(ids(creating.filter((each) => !names(each)))).toEqual([]);
    expect(ids(publicOperations.filter((each) => each.audit?.target !== undefined && !names(each)))).toEqual([]);
  });
});

const ids = (described: readonly { operationId: string }[]) => described.map(({ operationId }) => operationId).sort();

/** Names of the properties at the top of the reply of an operation. */
function replyProperties(id: OperationId): string[] {
  const { path, method, successStatus } = operation(id);
  const reply = publicDocument.paths[path]?.[method.toLowerCase()]?.responses?.[successStatus];
  return Object.values(reply?.content ?? {}).flatMap(({ schema }) => propertiesOf(schema));
}

function propertiesOf(schema: SchemaNode = {}): string[] {
  const named =
    schema.$ref === undefined ? undefined : publicDocument.components['schemas']?.[schema.$ref.split('/').at(-1) ?? ''];
  const parts = [...(schema.allOf ?? []), ...(named ? [named as SchemaNode] : [])];
  return [...Object.keys(schema.properties ?? {}), ...parts.flatMap(propertiesOf)];
}

/** The schemas that a body reaches, as one tree. */
function bodyProperties(id: OperationId): unknown {
  const { path, method } = operation(id);
  const body = Object.values(publicDocument.paths[path]?.[method.toLowerCase()]?.requestBody?.content ?? {});
  const reached: unknown[] = [];
  const follow: Visit = (key, value) => {
    if (key !== '$ref' || typeof value !== 'string') return;
    const schema = publicDocument.components['schemas']?.[value.split('/').at(-1) ?? ''];
    if (!reached.includes(schema)) {
      reached.push(schema);
      walk(schema, follow);
    }
  };
  walk({ body }, follow);
  return reached;
}
