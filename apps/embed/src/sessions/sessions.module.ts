import { Module } from '@nestjs/common';
import { SessionFactsController } from './session-facts.controller';
import { SessionFactsService } from './session-facts.service';

@Module({ controllers: [SessionFactsController], providers: [SessionFactsService] })
export class SessionsModule {}
