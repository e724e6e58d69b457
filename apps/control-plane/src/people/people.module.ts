import { Module } from '@nestjs/common';
import { UserAttributesModule } from './user-attributes/user-attributes.module';
import { UserGroupsModule } from './user-groups/user-groups.module';
import { UsersModule } from './users/users.module';

const features = [UsersModule, UserGroupsModule, UserAttributesModule];

@Module({ imports: features, exports: features })
export class PeopleDomain {}
