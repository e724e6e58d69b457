import { Module } from '@nestjs/common';
import { AccessModule } from '../../rights/effective-policies/effective-policies.module';
import { OAuthArtefactsRepository } from '../oauth/oauth-artefacts.repository';
import { UsersModule } from '../../people/users/users.module';
import { SessionsController } from './sessions.controller';
import { SessionsRepository } from './sessions.repository';
import { SessionsService } from './sessions.service';

@Module({
  imports: [AccessModule, UsersModule],
  controllers: [SessionsController],
  providers: [SessionsService, SessionsRepository, OAuthArtefactsRepository],
})
export class SessionsModule {}
