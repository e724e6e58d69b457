import type { Logger } from '@plinth/observability';
import { WakeableLoop } from '@plinth/tasks';
import type { TokenFile } from './engine-driver';

const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 60_000;

export interface TokenRenewalOptions {
  mint: () => Promise<readonly TokenFile[]>;
  /** Hears of tokens before anything else has them. */
  minted: (tokens: readonly TokenFile[]) => void;
  /** Writes a line of the log that users read. */
  say: (message: string) => void;
  /** Time from one token to the next one, in milliseconds. */
  everyMs: number;
  logger: Logger;
}

/** Keeps the OIDC tokens of an engine fresh. An engine goes on without them, as not every data source asks for one. */
export class TokenRenewal {
  private failures = 0;
  private ended = false;
  private nextMs = 0;
  private loop: WakeableLoop | undefined;

  constructor(private readonly options: TokenRenewalOptions) {}

  /** The tokens that an engine is started with; undefined when there are none to be had now. Never rejects. */
  async first(): Promise<readonly TokenFile[] | undefined> {
    let tokens: readonly TokenFile[] | undefined;
    this.nextMs = await this.attempt(async () => void (tokens = await this.mint()));
    return tokens;
  }

  /** From now on, whatever is minted is handed over. */
  start(replace: (tokens: readonly TokenFile[]) => Promise<void>): void {
    const { everyMs, logger } = this.options;
    const round = (): Promise<number> => this.attempt(async () => replace(await this.mint()));
    const name = 'renew the OIDC tokens of an engine';
    this.loop = new WakeableLoop(round, { name, everyMs, firstAfterMs: this.nextMs, logger });
    this.loop.start();
  }

  /** Its engine has ended: nobody hears any more of a renewal that is under way. */
  end(): void {
    this.ended = true;
    void this.loop?.stop();
  }

  private async mint(): Promise<readonly TokenFile[]> {
    const tokens = await this.options.mint();
    this.options.minted(tokens);
    return tokens;
  }

  /** Returns the milliseconds until the next one. */
  private async attempt(work: () => Promise<void>): Promise<number> {
    const { everyMs, say } = this.options;
    try {
      await work();
      if (this.failures > 0) say('The OIDC tokens are renewed again');
      this.failures = 0;
      return everyMs;
    } catch (error) {
      if (!this.ended) this.tell(error);
      this.failures += 1;
      return Math.min(everyMs, LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (this.failures - 1));
    }
  }

  /** Once for failures in a row: users read of the first one, operators of all. */
  private tell(error: unknown): void {
    const { say, logger } = this.options;
    logger.warn({ err: error }, 'could not renew the OIDC tokens of an engine');
    if (this.failures > 0) return;
    say('The OIDC tokens could not be renewed: this is tried again until it succeeds');
  }
}
