import { AppError } from '@plinth/errors';

export interface MostTurns {
  all: number;
  ofAccount: number;
}

/** Places for questions that a process answers at a time. No account takes those of all others. */
export class TurnPlaces {
  private all = 0;
  private readonly ofAccounts = new Map<number, number>();

  constructor(private readonly most: MostTurns) {}

  /** Takes a place. Returns what gives it back, however often it is called. @throws AppError `chat.overloaded` (503) */
  take(tenantId: number): () => void {
    const own = this.ofAccounts.get(tenantId) ?? 0;
    if (this.all >= this.most.all || own >= this.most.ofAccount) {
      throw new AppError('chat.overloaded', 'Too many questions are being answered', { retryAfterSeconds: 5 });
    }
    this.change(tenantId, 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.change(tenantId, -1);
      isTaken = false;
    };
  }

  private change(tenantId: number, by: 1 | -1): void {
    const own = (this.ofAccounts.get(tenantId) ?? 0) + by;
    this.all += by;
    if (own === 0) this.ofAccounts.delete(tenantId);
    else this.ofAccounts.set(tenantId, own);
  }
}
