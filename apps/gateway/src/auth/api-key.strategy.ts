import type { Request } from 'express';
import { Strategy } from 'passport-strategy';
import type { VerifyToken } from './authenticator';

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
