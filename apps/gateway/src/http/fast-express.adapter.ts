import { createServer as createHttpServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Application } from 'express';

/**
 * Express replaces the prototype of every request and response, which costs more than all its routing.
 * A server whose message classes already have those prototypes makes that replacement a no-op.
 */
export class FastExpressAdapter extends ExpressAdapter {
  override initHttpServer(options: NestApplicationOptions): void {
    const application: Application = this.getInstance();
    application.set('etag', false);
    application.disable('x-powered-by');
    const classes = messageClasses(application);
    const server: Server = options.httpsOptions
      ? createHttpsServer({ ...options.httpsOptions, ...classes }, application)
      : createHttpServer(classes, application);
    this.httpServer = server;
  }
}

type MessageClasses = { IncomingMessage: typeof IncomingMessage; ServerResponse: typeof ServerResponse };

/** Constructor functions, because the prototype of a class cannot be replaced. */
function messageClasses(application: Application & { request?: object; response?: object }): MessageClasses {
  function ExpressRequest(this: IncomingMessage, socket: Socket): void {
    Reflect.apply(IncomingMessage as unknown as () => void, this, [socket]);
  }
  function ExpressResponse(this: ServerResponse, ...parameters: unknown[]): void {
    Reflect.apply(ServerResponse as unknown as () => void, this, parameters);
  }
  ExpressRequest.prototype = application.request;
  ExpressResponse.prototype = application.response;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse } as unknown as MessageClasses;
}
