import { Module } from '@nestjs/common';
import { EventsModule } from './events/events.module';
import { EmbedGroupsModule } from './groups';
import { SubjectsModule } from './subjects/subjects.module';
import { EmbedTenantsModule } from './tenants';
import { EmbedUsersModule } from './users';

@Module({ imports: [EmbedTenantsModule, EmbedUsersModule, EmbedGroupsModule, SubjectsModule, EventsModule] })
export class EmbedModule {}
