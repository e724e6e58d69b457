import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { SessionsService } from './sessions.service';

@Controller()
export class SessionsController implements Operations<'control-plane', 'Sessions'> {
  constructor(private readonly sessions: SessionsService) {}

  @Operation('listMySessions')
  listMySessions({ principal, query }: Call<'listMySessions'>) {
    return this.sessions.list(principal, query);
  }

  @Operation('endMySession')
  endMySession({ principal, path }: Call<'endMySession'>) {
    return this.sessions.end(principal, path.sessionId);
  }

  @Operation('endUserSessions')
  endUserSessions({ principal, path }: Call<'endUserSessions'>) {
    return this.sessions.endAll(principal, path.id);
  }
}
