import { Module } from '@nestjs/common';
import { EmbedGroupsModule } from './groups';
import { SubjectsModule } from './subjects/subjects.module';
import { EmbedTenantsModule } from './tenants';
import { EmbedUsersModule } from './users';

@Module({ imports: [EmbedTenantsModule, EmbedUsersModule, EmbedGroupsModule, SubjectsModule] })
export class EmbedModule {}
