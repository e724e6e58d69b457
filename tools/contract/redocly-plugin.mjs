/** What Redocly cannot know of the contract: style rules, and the type of an extension. */

const MUTATIONS = new Set(['post', 'put', 'patch', 'delete']);
const SERVICES = ['control-plane', 'build-worker', 'runtime', 'workspace', 'embed', 'agents', 'scim', 'gateway'];

const report = (context, message, ...path) =>
  context.report({ message, location: path.reduce((at, key) => at.child([key]), context.location) });

const onOperation = (check) => () => ({ Operation: (operation, context) => check(operation, context) });

const onSchema = (check) => () => ({ Schema: (schema, context) => check(schema, context) });

const sentenceCaseSummary = onOperation(({ summary }, context) => {
  if (
    summary &&
    (!/^[A-Z]/.test(summary) || /[.]$/.test(summary) || / [A-Z][a-z]/.test(summary.replace(/Git(Hub)?|GraphQL/g, '')))
  ) {
    report(context, 'A summary is in sentence case, without a full stop.', 'summary');
  }
});

const schemasDescribed = onSchema((schema, context) => {
  if (schema.properties && !schema.description) report(context, 'A schema with properties has a description.');
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!property.$ref && !property.description) report(context, 'A property has a description.', 'properties', name);
  }
});

const operationOwned = onOperation((operation, context) => {
  if (!SERVICES.includes(operation['x-service'])) report(context, `x-service is one of ${SERVICES.join(', ')}.`);
});

const mutationAudited = onOperation((operation, context) => {
  // A webhook has no caller whose doing could be recorded.
  if (!MUTATIONS.has(context.key) || operation['x-raw-body']) return;
  const { event, fields } = operation['x-audit'] ?? {};
  if (!event || !Array.isArray(fields)) report(context, 'A mutation has x-audit with an event and its fields.');
});

/** What a credential that is limited to deployments may do cannot be guessed. */
const accessDeclared = () => {
  let path = '';
  return {
    PathItem: { enter: (_item, context) => void (path = String(context.key)) },
    Operation: (operation, context) => {
      const { 'x-permission': permission, 'x-scope': scope } = operation;
      if (!permission) report(context, 'An operation has x-permission.');
      if ((scope === 'deployment') !== path.includes('{deploymentId}'))
        report(context, 'x-scope is deployment exactly where the path names one by {deploymentId}.');
      if (!['deployment', 'account', 'any'].includes(scope) && !['public', 'system'].includes(permission))
        report(context, 'x-scope is deployment, account or any.');
    },
  };
};

const examplesGiven = () => ({
  MediaType: (media, context) => {
    if (media.schema && media.example === undefined && !media.examples) report(context, 'A JSON body has an example.');
  },
});

const integersBounded = onSchema((schema, context) => {
  const isInteger = [schema.type].flat().includes('integer');
  if (isInteger && !['int32', 'int64'].includes(schema.format))
    report(context, 'An integer has format int32 or int64.');
});

const arraysTyped = onSchema((schema, context) => {
  if ([schema.type].flat().includes('array') && !schema.items) report(context, 'An array describes its items.');
});

/** Tells the bundler what stands in the document's `x-responses`: replies by status, for each form that errors have. */
const withErrorReplies = ({ Root, ...types }) => ({
  ...types,
  Root: { ...Root, properties: { ...Root.properties, 'x-responses': 'ErrorReplies' } },
  ErrorReplies: { properties: {}, additionalProperties: 'Responses' },
});

export default function plinthRules() {
  return {
    id: 'plinth',
    typeExtension: { oas3: withErrorReplies },
    rules: {
      oas3: {
        'sentence-case-summary': sentenceCaseSummary,
        'schemas-described': schemasDescribed,
        'operation-owned': operationOwned,
        'mutation-audited': mutationAudited,
        'access-declared': accessDeclared,
        'examples-given': examplesGiven,
        'integers-bounded': integersBounded,
        'arrays-typed': arraysTyped,
      },
    },
  };
}
