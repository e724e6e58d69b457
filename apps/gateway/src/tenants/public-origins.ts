import type { TLSSocket } from 'node:tls';
import { AppError } from '@plinth/errors';
import type { Request } from 'express';
import { hostName } from './tenant.resolver';

/**
 * The origins that this installation is reached at. Whoever asks chooses the port in `Host`, and with it what a server
 * would take for its own address; only what an operator has configured counts.
 */
export class PublicOrigins {
  /** @param template of a tenant's base URL, with `{host}` for its host. */
  constructor(private readonly template: string) {}

  /**
   * The origin that the request was sent to: the configured one of its host, or the very port that it came in at.
   *
   * @throws AppError `tenant.unknown_host` (404) for any other.
   */
  of({ protocol, headers, socket }: Request): URL {
    const host = hostName(headers.host ?? '');
    const written = host.includes(':') ? `[${host}]` : host;
    const scheme = (socket as Partial<TLSSocket>).encrypted ? 'https' : 'http';
    const known = [this.template.replace('{host}', written), `${scheme}://${written}:${socket.localPort ?? ''}`];
    const asked = originOf(`${protocol}://${headers.host ?? ''}`);
    const origin = known.map(originOf).find((each) => each !== undefined && each === asked);
    if (origin === undefined) {
      throw new AppError('tenant.unknown_host', 'No account signs people in at this address: its port is another');
    }
    return new URL(origin);
  }
}

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined);
