import type { Program, SandboxedProcess } from './program';

/** Kinds of walls, strongest first. */
export type WallKind = 'namespace' | 'user' | 'container' | 'none';

export interface WallOptions {
  /** Range of user ids, both ends included, of which root gives each program one of its own. */
  users: { first: number; last: number };
  /** Path of the unix socket of a `SandboxServer`, where there is one. */
  socket?: string | undefined;
}

/** One way to keep a program from everything that it is not given. */
export interface Wall {
  readonly kind: WallKind;
  /** @throws Error when the program cannot be started */
  start(program: Program): SandboxedProcess;
}

/**
 * Makes a wall, before it is known whether it holds: that is found out by running a program behind it.
 *
 * @throws Error with the reason, when it is known at once that there can be no such wall here
 */
export type WallFactory = (options: WallOptions) => Wall;
