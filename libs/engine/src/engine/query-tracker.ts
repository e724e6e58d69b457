interface Tracked {
  rows: number;
  /** Whether the source was asked. */
  ran: boolean;
  /** Whether there were rows to be had, from the source or from before. */
  answered: boolean;
}

/** What becomes of requests inside the engine, by their ids. */
export class QueryTracker {
  private readonly tracked = new Map<string, Tracked>();

  begin(requestId: string): void {
    this.tracked.set(requestId, { rows: 0, ran: false, answered: false });
  }

  /** The source is asked. */
  ran(requestId: unknown): void {
    const tracked = typeof requestId === 'string' ? this.tracked.get(requestId) : undefined;
    if (tracked) tracked.ran = true;
  }

  answered(requestId: string | undefined, result: unknown): void {
    const tracked = this.tracked.get(requestId ?? '');
    if (!tracked) return;
    tracked.answered = true;
    const results = (Array.isArray(result) ? result : [result]) as { data?: unknown }[];
    for (const { data } of results) if (Array.isArray(data)) tracked.rows += data.length;
  }

  end(requestId: string): Tracked {
    const tracked = this.tracked.get(requestId) ?? { rows: 0, ran: false, answered: false };
    this.tracked.delete(requestId);
    return tracked;
  }
}
