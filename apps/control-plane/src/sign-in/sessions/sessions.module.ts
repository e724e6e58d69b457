import { Module } from '@nestjs/common';
import { KernelModule } from '../../kernel';
import { PeopleDomain } from '../../people';
import { OAuthModule } from '../oauth/oauth.module';
import { SessionsController } from './sessions.controller';
import { SessionsRepository } from './sessions.repository';
import { SessionsService } from './sessions.service';

@Module({
  imports: [KernelModule, PeopleDomain, OAuthModule],
  controllers: [SessionsController],
  providers: [SessionsService, SessionsRepository],
})
export class SessionsModule {}
