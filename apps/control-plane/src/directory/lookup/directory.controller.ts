import { Controller } from '@nestjs/common';
import { Operation, type Call } from '@plinth/messaging';
import { ContentDirectoryService } from './content-directory.service';
import { DirectoryService } from './directory.service';
import { EmbedGrantsService } from './embed-grants.service';
import { EmbedSessionsService } from './embed-sessions.service';

@Controller()
export class DirectoryController {
  constructor(
    private readonly directory: DirectoryService,
    private readonly content: ContentDirectoryService,
    private readonly embedGrants: EmbedGrantsService,
    private readonly embedSessions: EmbedSessionsService,
  ) {}

  @Operation('resolveTenant')
  resolveTenant({ body }: Call<'resolveTenant'>) {
    return this.directory.resolveTenant(body);
  }

  @Operation('authenticate')
  authenticate({ principal, body }: Call<'authenticate'>) {
    return this.directory.authenticate(body, principal.tenantName);
  }

  @Operation('describeContentRights')
  describeContentRights({ principal, body }: Call<'describeContentRights'>) {
    return this.content.rights(principal, body);
  }

  @Operation('describeAgentRights')
  describeAgentRights({ principal, body }: Call<'describeAgentRights'>) {
    return this.content.agentRights(principal, body);
  }

  @Operation('describeDataCaller')
  describeDataCaller({ principal, body }: Call<'describeDataCaller'>) {
    return this.content.dataCaller(principal, body);
  }

  @Operation('describeMailRecipients')
  describeMailRecipients({ principal, body }: Call<'describeMailRecipients'>) {
    return this.content.mailRecipients(principal, body);
  }

  @Operation('describePeople')
  describePeople({ principal, body }: Call<'describePeople'>) {
    return this.content.people(principal, body);
  }

  @Operation('describeEmbedding')
  describeEmbedding({ principal }: Call<'describeEmbedding'>) {
    return this.embedGrants.embedding(principal);
  }

  @Operation('resolveEmbedGrants')
  resolveEmbedGrants({ principal, body }: Call<'resolveEmbedGrants'>) {
    return this.embedGrants.resolve(principal, body);
  }

  @Operation('prepareEmbedSession')
  prepareEmbedSession({ principal, body }: Call<'prepareEmbedSession'>) {
    return this.embedSessions.prepare(principal, body);
  }

  @Operation('describeAccountUser')
  describeAccountUser({ principal, body }: Call<'describeAccountUser'>) {
    return this.embedSessions.describeUser(principal, body);
  }
}
