import vm from 'node:vm';
import { ModelBroken } from './model-broken';

interface Context {
  securityContext?: unknown;
}

/** What the project's `cube.js` says, as far as it counts here. */
export interface Configuration {
  queryRewrite?: (query: object, context: Context) => unknown;
  contextToGroups(context: Context): string[] | Promise<string[]>;
  /** What is left out, each as a sentence. */
  warnings: string[];
}

const SUPPORTED = new Set(['queryRewrite', 'queryTransformer', 'contextToGroups']);
const FILE = 'cube.js';

/** Groups of the user behind a credential, as the platform puts them into the security context. */
function groupsOfUser({ securityContext }: Context): string[] {
  const { cubeCloud } = (securityContext ?? {}) as { cubeCloud?: { groups?: unknown } };
  return Array.isArray(cubeCloud?.groups) ? cubeCloud.groups.map(String) : [];
}

/**
 * Runs the file, which is code of the tenant's, in a context of its own.
 *
 * @throws ModelBroken with what the file throws, and where
 */
export function loadConfiguration(code: string | undefined): Configuration {
  if (code === undefined) return { contextToGroups: groupsOfUser, warnings: [] };
  const module: { exports: Record<string, unknown> } = { exports: {} };
  const context = vm.createContext({
    module,
    exports: module.exports,
    console,
    process: { env: {} },
    require: (name: unknown) => {
      throw new Error(`${FILE} may not load ${String(name)}: it runs without modules, files and network`);
    },
  });
  run(code, context);
  const exported: Record<string, unknown> = { ...module.exports };
  const rewrite = exported['queryRewrite'] ?? exported['queryTransformer'];
  const groups = exported['contextToGroups'];
  return {
    ...(typeof rewrite === 'function' && { queryRewrite: rewrite as NonNullable<Configuration['queryRewrite']> }),
    contextToGroups: typeof groups === 'function' ? (groups as Configuration['contextToGroups']) : groupsOfUser,
    warnings: Object.keys(exported)
      .filter((name) => !SUPPORTED.has(name))
      .map((name) => `${FILE}: \`${name}\` has no effect here`),
  };
}

function run(code: string, context: vm.Context): void {
  try {
    new vm.Script(code, { filename: FILE }).runInContext(context);
  } catch (error) {
    const { message, stack } = (error ?? {}) as { message?: unknown; stack?: unknown };
    const line = Number(new RegExp(`(?:^|[\\s(])${FILE}:(\\d+)`).exec(String(stack))?.[1]);
    throw new ModelBroken([{ message: String(message ?? error), fileName: FILE, ...(line > 0 && { line }) }]);
  }
}
