import type { Principal } from '@plinth/auth';
import type { Request } from 'express';
import { Strategy } from 'passport-strategy';

/** Says whose token it is; nobody's is `false`. */
export type VerifyToken = (
  request: Request,
  token: string,
  done: (error: unknown, principal?: Principal | false) => void,
) => void;

/** `Authorization: Api-Key <key>`, the form that the command-line client and embedding pages send. */
export class ApiKeyStrategy extends Strategy {
  readonly name = 'api-key';

  constructor(private readonly verify: VerifyToken) {
    super();
  }

  override authenticate(request: Request): void {
    const token = /^Api-Key +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (!token) {
      this.fail('Api-Key realm="plinth"', 401);
      return;
    }
    this.verify(request, token, (error: unknown, principal) => {
      if (error) this.error(error as Error);
      else if (principal) this.success(principal);
      else this.fail('Api-Key realm="plinth"', 401);
    });
  }
}
