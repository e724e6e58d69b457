import { Module } from '@nestjs/common';
import { EmbedAttributesRepository } from '../attributes';
import { EmbedGroupsModule } from '../groups';
import { EmbedSecretsModule } from '../secrets';
import { SessionNoticesModule } from '../session-notices';
import { SubjectsModule } from '../subjects';
import { EmbedTenantsModule } from '../tenants';
import { EmbedUsersModule } from '../users';
import { SessionFactsController } from './session-facts.controller';
import { SessionFactsService } from './session-facts.service';
import { SessionIdentities } from './session-identity.service';
import { SessionsController } from './sessions.controller';
import { SessionsRepository } from './sessions.repository';
import { SessionsService } from './sessions.service';

@Module({
  imports: [
    EmbedTenantsModule,
    EmbedUsersModule,
    EmbedGroupsModule,
    EmbedSecretsModule,
    SessionNoticesModule,
    SubjectsModule,
  ],
  controllers: [SessionsController, SessionFactsController],
  providers: [SessionsService, SessionFactsService, SessionIdentities, SessionsRepository, EmbedAttributesRepository],
  exports: [SessionsRepository],
})
export class SessionsModule {}
