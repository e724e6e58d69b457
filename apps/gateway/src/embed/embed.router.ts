import { Router, type Request, type Response } from 'express';
import { AppPage } from './app-page';
import { DashboardPage } from './dashboard-page';
import { EmbedHandler, type EmbedHandlerParts, type FrameWork } from './embed.handler';
import { embedScript } from './embed-script';
import { FrameStatus } from './frame-status';
import type { OpenFrames } from './open-frames';

/** Where pages for frames are. */
export const embedPath = '/embed';

const DEPLOYMENT_ID = /^[1-9][0-9]{0,14}$/;

/** Pages that host applications put into frames (ruling 34). */
export function embedRouter(parts: EmbedHandlerParts, frames: OpenFrames): Router {
  const handler = new EmbedHandler(parts);
  const status = new FrameStatus(handler, frames);
  const router = Router();
  const page = (name: string, path: string, workOf: (request: Request) => FrameWork): void => {
    const serve = (request: Request, response: Response): void =>
      void handler.serve(name, request, response, workOf(request));
    router.get(path, serve);
    router.post(path, serve);
  };
  page('embed-dashboard', '/dashboard/:id', (request) => new DashboardPage(parts, idOf(request)));
  page(
    'embed-app',
    '/d/:id/app',
    (request) => new AppPage(parts, DEPLOYMENT_ID.test(idOf(request)) ? Number(idOf(request)) : 0),
  );
  router.get('/status', (request: Request, response: Response) => void status.serve(request, response));
  router.get(embedScript.path.slice(embedPath.length), (_request: Request, response: Response) => {
    response.setHeader('cache-control', 'public, max-age=31536000, immutable');
    response.type('text/javascript').send(embedScript.text);
  });
  return router;
}

const idOf = ({ params }: Request): string => String(params['id'] ?? '');
