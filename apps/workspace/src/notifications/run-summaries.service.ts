import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal } from '@plinth/auth';
import { Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { BUS, LOGGER } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import type { Logger } from '@plinth/observability';
import type { Scene } from '@plinth/rendering';
import { compare, figuresOf, hasChanged, type ComparedFigure, type Figure } from './figures';
import { FiguresRepository } from './figures.repository';
import type { ClaimedRun } from './runs.repository';

/** What stands in a mail beside its picture. */
export interface MailSummary {
  /** Null where there is none: the figures stand alone. */
  text: string | null;
  isByModel: boolean;
  figures: ComparedFigure[];
}

/** A summary with what is kept for the next run, and why there is none. */
export interface Summarized {
  summary: MailSummary;
  figures: Figure[];
  problem: string | null;
}

/** Has words found for what has changed since the last run. */
@Injectable()
export class RunSummaries {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly figures: FiguresRepository,
  ) {}

  /** Never fails for want of a summary. @throws the reason of the signal */
  async of(run: ClaimedRun, subjectKey: string, scene: Scene, signal: AbortSignal): Promise<Summarized> {
    const { tenantId, notificationId } = run;
    const figures = figuresOf(scene);
    const before = await this.database.transaction(tenantId, (tx) => this.figures.find(tx, notificationId, subjectKey));
    const compared = compare(figures, before?.figures ?? []);
    const ended = (text: string | null, isByModel = false, problem: string | null = null): Summarized => ({
      ...{ summary: { text, isByModel, figures: compared }, figures, problem },
    });
    if (!before) return ended(null);
    const changed = compared.filter(hasChanged);
    if (changed.length === 0) return ended('No figure has changed since the last mail.');
    const since = before.seenAt.toISOString();
    const asked = { notificationId, title: scene.title.slice(0, 1_000), since, figures: changed };
    try {
      const { text } = await this.bus.ask('summarizeChanges', systemPrincipal(tenantId), asked);
      return ended(text, true);
    } catch (error) {
      signal.throwIfAborted();
      this.logger.warn({ err: error, runId: run.id }, 'a mail goes without its summary');
      return ended(null, false, error instanceof AppError ? error.message : 'The summary could not be written');
    }
  }

  /** A preview is nobody's last mail. */
  async keep(tx: Transaction, run: ClaimedRun, subjectKey: string, { figures }: Summarized): Promise<void> {
    if (run.cause !== 'PREVIEW') await this.figures.keep(tx, run, subjectKey, { figures, seenAt: run.dueAt });
  }
}
