import { Module } from '@nestjs/common';
import { CommentsModule } from './comments';
import { EventsModule } from './events/events.module';
import { EmbedGroupsModule } from './groups';
import { SessionsModule } from './sessions';
import { SubjectsModule } from './subjects';
import { EmbedTenantsModule } from './tenants';
import { EmbedUsersModule } from './users';

@Module({
  imports: [
    EmbedTenantsModule,
    EmbedUsersModule,
    EmbedGroupsModule,
    SubjectsModule,
    SessionsModule,
    EventsModule,
    CommentsModule,
  ],
})
export class EmbedModule {}
