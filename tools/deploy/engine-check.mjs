import { createRequire } from 'node:module';
import { join } from 'node:path';
import { safetyProblems } from './manifest-check.mjs';
import { manifestValidator } from './manifest-schemas.mjs';
import { root } from './tree.mjs';

const load = createRequire(import.meta.url);
const built = (path) => load(join(root, 'dist', path));

const secret = 'the password of a sample deployment';
const token = 'the token of a sample deployment';
const order = {
  place: { tenantId: 1, deploymentId: 2, environmentId: 3, branchName: 'main', isProduction: true },
  pod: 'production-3-1',
  version: '1.7.43',
  region: 'local',
  variables: { CUBEJS_DB_TYPE: 'postgres', CUBEJS_DB_PASS: secret },
  tokenVariables: { SNOWFLAKE_TOKEN_FILE: 'cube_cloud_token_snowflake' },
  tokens: [{ fileName: 'cube_cloud_token_snowflake', token }],
  commitHash: '0123456789abcdef0123456789abcdef01234567',
  modelRoot: 'model/',
  model: [{ path: 'cubes/orders.yml', content: 'cubes: []' }],
  transpiled: [],
};

/** What is wrong with the manifests of an engine that a runtime runs as a pod, with the settings as they are by default. */
export function engineProblems() {
  const { loadConfig } = built('libs/config/src/index.js');
  const { runtimeSettings } = built('apps/runtime/src/runtime.config.js');
  const { manifestOptionsOf } = built('apps/runtime/src/engines/kubernetes/index.js');
  const { manifestsOf } = built('apps/runtime/src/engines/kubernetes/manifests.js');
  const { EngineSecrets } = built('apps/runtime/src/engines/kubernetes/engine-secrets.js');
  const key = Buffer.alloc(32).toString('base64');
  const needed = { PLINTH_DATABASE_URL: 'postgres://localhost/plinth', PLINTH_ENCRYPTION_KEYS: key };
  const config = loadConfig(runtimeSettings, needed);
  const limits = { defaultRows: 10_000, maxRows: 50_000, queryMs: 600_000, concurrency: 8 };
  const manifests = manifestsOf(order, new EngineSecrets(key), manifestOptionsOf(config, limits));
  const { service, owned, tokens } = manifests.named('plinth-engine-3-sample', 'runtime-1/0');
  const owner = { ...service, metadata: { ...service.metadata, uid: '0' } };
  const { secret: secretObject, configMaps, networkPolicy, deployment } = owned(owner);
  const secrets = [secretObject, tokens(owner, order.tokens)].map(asSent);
  const open = [service, ...configMaps, networkPolicy, deployment].map(asSent);
  const validate = manifestValidator();
  const { spec } = deployment.spec.template;
  return [
    ...[...open, ...secrets].flatMap((manifest) => validate(manifest).map((problem) => `${manifest.kind}: ${problem}`)),
    ...safetyProblems(spec, spec.containers[0]),
    ...([secret, token].some((each) => JSON.stringify(open).includes(each)) ? ['shows its secrets'] : []),
  ].map((problem) => `an engine's ${problem}`);
}

/** As the client writes it: a word of the language is a field's name. */
const asSent = (manifest) => JSON.parse(JSON.stringify(manifest).replaceAll('"_from":', '"from":'));
