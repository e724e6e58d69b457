import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module';
import { UserAttributeValuesController } from './user-attribute-values.controller';
import { UserAttributeValuesRepository } from './user-attribute-values.repository';
import { UserAttributeValuesService } from './user-attribute-values.service';
import { UserAttributesController } from './user-attributes.controller';
import { UserAttributesRepository } from './user-attributes.repository';
import { UserAttributesService } from './user-attributes.service';

@Module({
  imports: [UsersModule],
  controllers: [UserAttributesController, UserAttributeValuesController],
  providers: [
    UserAttributesService,
    UserAttributeValuesService,
    UserAttributesRepository,
    UserAttributeValuesRepository,
  ],
  exports: [UserAttributesRepository, UserAttributeValuesRepository],
})
export class UserAttributesModule {}
