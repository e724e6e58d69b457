import type * as Gateway from '@cubejs-backend/api-gateway';
import type * as Crypto from 'node:crypto';
import type * as Fs from 'node:fs';
import type * as Path from 'node:path';
import type * as Vm from 'node:vm';
import type * as Zlib from 'node:zlib';

/** Folder of the official image that it reads its `cube.js` from. */
export const CONFIGURATION_FOLDER = '/cube/conf';
/** Folder below it with the parts of the model's archive. */
export const MODEL_FOLDER = 'plinth-model';

/** What is packed into the archive of a model: JSON, compressed. */
export interface PackedModel {
  files: readonly { path: string; content: string }[];
  /** The project's `cube.js`, where there is one. */
  configuration: string | null;
}

type Context = { securityContext?: unknown };
interface Asking extends Context {
  [name: string]: unknown;
}

/**
 * The `cube.js` of engines in the official image, as text. What it says of security contexts, of the project's own `cube.js`
 * and of models is what the engine beside the runtime says (libs/engine): deployments do not notice who serves them.
 */
export const cubeConfigurationText = (): string =>
  `module.exports = (${configure.toString()})(require, process, __dirname, ${JSON.stringify(MODEL_FOLDER)});\n`;

/** Runs in the image, as text: it sees its parameters, and nothing else of this module. */
export function configure(
  load: NodeJS.Require,
  { env, stderr }: { env: Readonly<Record<string, string | undefined>>; stderr: { write(line: string): unknown } },
  folder: string,
  modelFolder: string,
): Record<string, unknown> {
  const crypto = load('node:crypto') as typeof Crypto;
  const fs = load('node:fs') as typeof Fs;
  const vm = load('node:vm') as typeof Vm;
  const { join } = load('node:path') as typeof Path;
  const { gunzipSync } = load('node:zlib') as typeof Zlib;
  const { CubejsHandlerError } = load('@cubejs-backend/api-gateway') as typeof Gateway;

  const refuse = (message: string): never => {
    throw new CubejsHandlerError(403, 'Forbidden', message);
  };
  const key = crypto.createSecretKey(Buffer.from(env['CUBEJS_API_SECRET'] ?? '', 'utf8'));
  const { createHmac, timingSafeEqual } = crypto;
  const { parse } = JSON;

  /** The claims of a token of a minute that the runtime has made. */
  const claimsOf = (token: string): Record<string, unknown> => {
    const [head = '', payload = '', signature = ''] = token.split('.');
    const expected = createHmac('sha256', key).update(`${head}.${payload}`).digest();
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) refuse('Invalid token');
    const { alg } = parse(Buffer.from(head, 'base64url').toString('utf8')) as { alg?: unknown };
    const claims = parse(Buffer.from(payload, 'base64url').toString('utf8')) as Record<string, unknown>;
    const { iat, exp } = claims;
    const now = Date.now() / 1_000;
    // Clocks of machines differ.
    const isOfNow = typeof iat === 'number' && typeof exp === 'number' && exp - iat <= 60 && Math.abs(now - iat) <= 70;
    if (alg !== 'HS256' || !isOfNow || now > exp + 10) refuse('Invalid token');
    return claims;
  };

  const checkAuth = async (request: Asking, token?: string): Promise<void> => {
    if (!token) return refuse("Authorization header isn't set");
    // Times of tokens differ between requests of the same user, and are nothing that a model is to see.
    const claims = Object.entries(claimsOf(token)).filter(([name]) => name !== 'iat' && name !== 'exp');
    request.securityContext = Object.fromEntries(claims);
  };

  const parts = fs.readdirSync(join(folder, modelFolder)).filter((name) => /^\d+$/.test(name));
  const archive = Buffer.concat(
    parts
      .sort((left, right) => Number(left) - Number(right))
      .map((name) => fs.readFileSync(join(folder, modelFolder, name))),
  );
  const { files, configuration } = parse(gunzipSync(archive).toString('utf8')) as PackedModel;

  /** What the project's `cube.js` exports, run without modules. What else it does is held in by the pod. */
  const projectOptions = (): Record<string, unknown> => {
    if (configuration === null) return {};
    const module: { exports: Record<string, unknown> } = { exports: {} };
    const refuseModule = (name: unknown): never => {
      throw new Error(`cube.js may not load ${String(name)}: it runs without modules, files and network`);
    };
    const globals = { module, exports: module.exports, console, process: { env: {} }, require: refuseModule };
    new vm.Script(configuration, { filename: 'cube.js' }).runInContext(vm.createContext(globals));
    return { ...module.exports };
  };

  const exported = projectOptions();
  const used = ['queryRewrite', 'queryTransformer', 'contextToGroups'];
  for (const name of Object.keys(exported)) {
    if (!used.includes(name)) stderr.write(`cube.js: \`${name}\` has no effect here\n`);
  }
  const { contextToGroups } = exported;
  const queryRewrite = exported['queryRewrite'] ?? exported['queryTransformer'];

  /** Groups of the user behind a credential, as the platform puts them into the security context. */
  const groupsOfUser = ({ securityContext }: Context): string[] => {
    const { cubeCloud } = (securityContext ?? {}) as { cubeCloud?: { groups?: unknown } };
    return Array.isArray(cubeCloud?.groups) ? cubeCloud.groups.map(String) : [];
  };
  // A model that depends on who asks is compiled for each of them.
  const perContext = files.some(({ content }) => content.includes('COMPILE_CONTEXT'));
  const appOf = ({ securityContext = {} }: Context): string =>
    perContext ? crypto.createHash('sha256').update(JSON.stringify(securityContext)).digest('base64url') : 'engine';

  return Object.freeze({
    ...(typeof queryRewrite === 'function' && { queryRewrite }),
    contextToGroups: typeof contextToGroups === 'function' ? contextToGroups : groupsOfUser,
    contextToAppId: appOf,
    contextToOrchestratorId: () => 'engine',
    scheduledRefreshContexts: async () => [],
    scheduledRefreshTimer: false,
    compilerCacheSize: 20,
    repositoryFactory: () => ({
      localPath: () => folder,
      dataSchemaFiles: async () => files.map(({ path: fileName, content }) => ({ fileName, content })),
    }),
    preAggregationsSchema: () => env['CUBEJS_PRE_AGGREGATIONS_SCHEMA'] ?? 'prod_pre_aggregations',
    allowNodeRequire: false,
    telemetry: false,
    checkAuth,
    checkSqlAuth: async () => refuse('There is no SQL interface here'),
  });
}
