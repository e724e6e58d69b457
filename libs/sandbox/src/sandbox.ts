import type { Program, SandboxedProcess } from './program';
import { type Gap, probe, type ProbeOptions } from './probe';
import { UnstartedProcess } from './unstarted-process';
import type { Wall, WallFactory, WallKind, WallOptions } from './wall';
import { containerWall } from './walls/container';
import { namespaceWall } from './walls/namespace';
import { noWall } from './walls/none';
import { userWall } from './walls/user';

export interface SandboxOptions extends Partial<WallOptions>, Partial<ProbeOptions> {
  /** `auto` takes the strongest wall that holds here; default. */
  kind?: WallKind | 'auto';
}

/** What a sandbox was opened with, and the wall that was found. */
export interface ReopenOptions extends Partial<WallOptions> {
  kind: WallKind;
}

/** Strongest first. */
const WALLS: Readonly<Record<WallKind, WallFactory>> = {
  namespace: namespaceWall,
  user: userWall,
  container: containerWall,
  none: noWall,
};
const USERS = { first: 64_000, last: 64_999 };

/** Thrown when the wall that was asked for by name does not hold here. */
export class SandboxUnavailable extends Error {
  override readonly name = 'SandboxUnavailable';
}

/** Runs untrusted programs behind the strongest wall that this machine has. */
export class Sandbox {
  private readonly running = new Set<SandboxedProcess>();

  private constructor(
    private readonly wall: Wall,
    /** What the wall leaves open, found out by trying. */
    readonly gaps: readonly Gap[],
    /** Why each stronger wall is not to be had. */
    readonly refused: Readonly<Partial<Record<WallKind, string>>>,
  ) {}

  /**
   * Finds the wall by really running a program behind it.
   *
   * @throws SandboxUnavailable when the kind that is asked for by name does not hold here; `auto` ends at `none`
   */
  static async open(options: SandboxOptions = {}): Promise<Sandbox> {
    const { kind = 'auto', readable = [], secrets = [], users = USERS, socket } = options;
    const refused: Partial<Record<WallKind, string>> = {};
    const candidates = Object.entries(WALLS).filter(([name]) => kind === 'auto' || kind === name);
    for (const [name, create] of candidates) {
      try {
        const wall = create({ users, socket });
        return new Sandbox(wall, await probe(wall, { readable, secrets }), refused);
      } catch (error) {
        refused[name as WallKind] = error instanceof Error ? error.message : String(error);
      }
    }
    const reasons = Object.entries(refused).map(([name, reason]) => `${name}: ${reason}`);
    throw new SandboxUnavailable(`Programs cannot be run in a sandbox here (${reasons.join('; ')})`);
  }

  /**
   * The sandbox that another process on this machine has found by `open`, without trying it again.
   *
   * @throws SandboxUnavailable when there can be no such wall here
   */
  static reopen({ kind, users = USERS, socket }: ReopenOptions): Sandbox {
    try {
      return new Sandbox(WALLS[kind]({ users, socket }), [], {});
    } catch (error) {
      throw new SandboxUnavailable(`Programs cannot be run in a sandbox here (${kind}: ${(error as Error).message})`);
    }
  }

  get kind(): WallKind {
    return this.wall.kind;
  }

  /** Never throws: a program that cannot be started ends at once, with the reason. */
  start(program: Program): SandboxedProcess {
    const started = startBehind(this.wall, program);
    this.running.add(started);
    void started.exited.then(() => this.running.delete(started));
    return started;
  }

  /** Ends every program and waits until they are gone. */
  async close(): Promise<void> {
    await Promise.all(
      [...this.running].map((each) => {
        each.kill();
        return each.exited;
      }),
    );
  }
}

function startBehind(wall: Wall, program: Program): SandboxedProcess {
  try {
    return wall.start(program);
  } catch (error) {
    return new UnstartedProcess(error);
  }
}
