import { createServer as createHttpServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Application, Request, Response } from 'express';

/** Answers a request, or leaves it to Express. Returns whether it answers. */
export type Front = (request: Request, response: Response) => boolean;

/**
 * Express replaces the prototype of every request and response, which costs more than all its routing.
 * A server whose message classes already have those prototypes makes that replacement a no-op.
 * What a front answers does not go through the layers of Express at all, though it has its requests and responses.
 */
export class FastExpressAdapter extends ExpressAdapter {
  private front: Front = () => false;

  /** Asks the front before Express. What it throws is Express's to answer: it goes there as any other request. */
  useFront(front: Front): void {
    this.front = front;
  }

  override initHttpServer(options: NestApplicationOptions): void {
    const application: Application = this.getInstance();
    application.set('etag', false);
    application.disable('x-powered-by');
    const classes = messageClasses(application);
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      if (!this.isAnswered(request as Request, response as Response)) application(request as Request, response);
    };
    const server: Server = options.httpsOptions
      ? createHttpsServer({ ...options.httpsOptions, ...classes }, listener)
      : createHttpServer(classes, listener);
    this.httpServer = server;
  }

  private isAnswered(request: Request, response: Response): boolean {
    try {
      return this.front(request, response);
    } catch {
      return false;
    }
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
