import { Module } from '@nestjs/common';
import { ColleaguesModule } from './colleagues';
import { CommentsModule } from './comments';
import { DirectoryModule } from './directory/directory.module';
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
    DirectoryModule,
    ColleaguesModule,
    SessionsModule,
    EventsModule,
    CommentsModule,
  ],
})
export class EmbedModule {}
