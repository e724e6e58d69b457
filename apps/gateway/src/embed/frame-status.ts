import { AppError } from '@plinth/errors';
import type { Request, Response } from 'express';
import { platformDialect } from '../dialects/platform.dialect';
import { sendNothing } from '../http/reply';
import type { EmbedHandler } from './embed.handler';
import type { OpenFrames } from './open-frames';

/** Answers scripts of frames that ask whether their session goes on. */
export class FrameStatus {
  constructor(
    private readonly handler: EmbedHandler,
    private readonly frames: OpenFrames,
  ) {}

  /** 204 while it does; with `wait=0` at once, otherwise after a while or as soon as it does not. */
  async serve(request: Request, response: Response): Promise<void> {
    const query = new URL(request.url, 'http://page').searchParams;
    const dashboard = query.get('dashboard');
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    await this.handler.parts.edge.enter(request, response, {
      dialect: platformDialect,
      page: 'embed-status',
      serve: async (exchange, tenant) => {
        const check = async (): Promise<void> => {
          const principal = await this.handler.principalOf(exchange, tenant, query.get('frame') ?? '');
          if (dashboard === null) return;
          const { bus } = this.handler.parts;
          await bus.ask('describeEmbeddedDashboard', principal, { publicId: dashboard }).catch(unlessBusy);
        };
        if (query.get('wait') === '0') await check();
        else await this.frames.hold(tenant.tenantId, check, gone.signal);
        if (!response.destroyed) sendNothing(response, 204);
      },
    });
  }
}

/** A service that does not answer is no end of a session. */
function unlessBusy(error: unknown): void {
  if (!(error instanceof AppError) || error.status < 500) throw error;
}
