import { ConfigError, type ConfigOf, type sandboxSettings } from '@plinth/config';
import type { Logger } from '@plinth/observability';
import { type Gap, Sandbox, type WallKind } from '@plinth/sandbox';
import { Gauge, type Registry } from 'prom-client';

export interface SandboxNeeds {
  /** Files and folders that programs will read. */
  readable: readonly string[];
  /** Files and folders that no program may reach. */
  secrets: readonly string[];
}

export interface SandboxesOptions {
  logger: Logger;
  metrics: Registry;
  /** Called when nothing keeps programs from the platform, and nobody has asked for that; by default, a ConfigError. */
  onNoWall?: (reasons: string) => void;
}

/** The sandboxes of one process, and what it tells of them. */
export class Sandboxes {
  private found: { kind: WallKind; gaps: readonly Gap[] } | undefined;
  private readonly gauge: Gauge<'kind'>;

  constructor(private readonly options: SandboxesOptions) {
    this.gauge = new Gauge({
      name: 'plinth_sandbox_wall',
      help: 'The kind of wall between this process and the programs of its users: 1 for the one that holds',
      labelNames: ['kind'],
      registers: [options.metrics],
    });
  }

  /**
   * Opens a sandbox as the operator wants it, and says in one line what was found, unless that has been said before.
   *
   * @throws ConfigError when the wall does not hold here, or when there is none and nobody has asked for that
   */
  async open(
    { sandbox: kind, sandboxUsers: users, sandboxSocket: socket }: ConfigOf<typeof sandboxSettings>,
    needs: SandboxNeeds,
  ): Promise<Sandbox> {
    const sandbox = await Sandbox.open({ kind, users, socket, ...needs }).catch((error: unknown) => {
      throw new ConfigError([`PLINTH_SANDBOX: ${error instanceof Error ? error.message : String(error)}`]);
    });
    const { gaps, refused } = sandbox;
    if (this.found?.kind !== sandbox.kind) {
      this.options.logger.info(
        { sandbox: { kind: sandbox.kind, gaps }, refused },
        `wall between the platform and programs of users: ${sandbox.kind}`,
      );
    }
    this.found = { kind: sandbox.kind, gaps };
    this.gauge.set({ kind: sandbox.kind }, 1);
    if (sandbox.kind === 'none' && kind !== 'none') this.onNoWall(reasonsOf(refused));
    return sandbox;
  }

  /** What `/healthz/ready` tells. */
  readonly details = (): object => (this.found ? { sandbox: this.found } : {});

  private onNoWall(reasons: string): void {
    if (this.options.onNoWall) return this.options.onNoWall(reasons);
    throw new ConfigError([
      `PLINTH_SANDBOX: nothing here keeps programs of users from the platform (${reasons}). docs/operations.md says what each kind of wall needs; to run without one, set PLINTH_SANDBOX=none`,
    ]);
  }
}

const reasonsOf = (refused: Sandbox['refused']): string =>
  Object.entries(refused)
    .map(([kind, reason]) => `${kind}: ${reason}`)
    .join('; ');
