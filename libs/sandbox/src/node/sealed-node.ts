import type { Program } from '../program';

/** A program of Node that may do nothing but compute. */
export interface SealedNode {
  script: string;
  /** Folders that it may read. */
  readable: readonly string[];
  /** A binary module, which must be allowed to load. */
  native?: string | undefined;
  /** Old-space heap in MiB. */
  heapMb: number;
  /** Space for young objects in MiB: the less, the smaller the process, and the more often it cleans up. */
  youngMb?: number;
  /** Variables of its environment, which is empty otherwise: no secrets. */
  environment?: Readonly<Record<string, string>>;
}

/** Off the heap: the program itself, its threads, and buffers of a reasonable size. */
const OFF_HEAP_MB = 256;
/** Threads of Node and V8, with room for those of a program beside this container that has the same user. */
const THREADS = 64;

/** It as a program for a sandbox, behind Node's own permission model besides. */
export function sealedNode(node: SealedNode): Program {
  const { script, readable, native, heapMb, environment } = node;
  return {
    ...(environment && { environment }),
    command: process.execPath,
    args: [...nodeArguments(node), script],
    readable: [...readable, ...(native === undefined ? [] : [native])],
    limits: { memoryBytes: (heapMb + OFF_HEAP_MB) * 2 ** 20, processes: THREADS },
  };
}

/**
 * Node's permission model refuses everything that is not allowed here: other files, writing, processes and threads. Code
 * from strings is how a model would climb out of its context. V8's flags trace to files and take checks away: to set one
 * after the start ends the process.
 */
export function nodeArguments({ readable, native, heapMb, youngMb }: SealedNode): string[] {
  return [
    permissionModel(),
    ...readable.map((folder) => `--allow-fs-read=${folder}/*`),
    ...(native ? ['--allow-addons'] : []),
    '--disallow-code-generation-from-strings',
    '--freeze-flags-after-init',
    `--max-old-space-size=${heapMb}`,
    ...(youngMb === undefined ? [] : [`--max-semi-space-size=${youngMb}`]),
    '--no-warnings',
  ];
}

/** The option that turns the permission model on: it lost its prefix on the way from Node 20 to 24. */
function permissionModel(): string {
  return process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';
}
