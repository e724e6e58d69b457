export type { Gap } from './probe';
export type { Exit, Program, ProgramLimits, SandboxedProcess } from './program';
export { type ReopenOptions, Sandbox, type SandboxOptions, SandboxUnavailable } from './sandbox';
export { type Wall, type WallFactory, type WallKind, type WallOptions } from './wall';
export { SandboxServer } from './remote/sandbox-server';
export { findProgram, type FoundProgram, type ProgramSources } from './node/find-program';
export { nodeArguments, type SealedNode, sealedNode } from './node/sealed-node';
