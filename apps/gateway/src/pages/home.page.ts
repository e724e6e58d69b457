import { publicDocument } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { html } from '@plinth/html';
import type { Request, RequestHandler } from 'express';
import { isReading } from '../http/methods';

import type { PageHandler, PageReply, PageRequest } from './page-handler';

/** Whether the request comes from somebody who looks at pages: programs that take anything get JSON. */
const wantsPage = (request: Request): boolean =>
  isReading(request) && request.accepts(['application/json', 'text/html']) === 'text/html';

/** The page at `/` for browsers. For programs there is nothing, as ever. */
export function homePage(pages: PageHandler): RequestHandler {
  const page = pages.page('home', async (asked) => home(asked));
  return (request, response, next) =>
    request.path === '/' && wantsPage(request) ? page(request, response, next) : next();
}

/** What nothing answers below `/auth`, where people follow links. */
export function missingPage(pages: PageHandler): RequestHandler {
  const page = pages.page('missing', async () => {
    throw new AppError('request.not_found', 'There is no such page');
  });
  return (request, response, next) => (wantsPage(request) ? page(request, response, next) : next());
}

const home = ({ principal }: PageRequest): PageReply => ({
  status: 200,
  title: principal.tenantName,
  content: html`<p>
      This is the platform API of <strong>${principal.tenantName}</strong>. People use it through programs:
    </p>
    <ul>
      <li><a href="/docs">Platform API</a>: try it out, with samples</li>
      <li><a href="/docs/data">Data API</a> of deployments</li>
      <li><a href="/auth/device">Connect a device</a> or a command-line client that shows a code</li>
      <li><a href="/auth/sign-out">Sign out</a> of this browser</li>
      <li><a href="/healthz/ready">Health</a></li>
    </ul>
    <p class="hint">Version ${String(publicDocument.info['version'])} of the API</p>`,
});
