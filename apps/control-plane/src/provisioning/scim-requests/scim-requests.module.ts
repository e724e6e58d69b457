import { Module } from '@nestjs/common';
import { ScimRequestsController } from './scim-requests.controller';
import { ScimRequestsRepository } from './scim-requests.repository';
import { ScimRequestsService } from './scim-requests.service';

@Module({
  controllers: [ScimRequestsController],
  providers: [ScimRequestsService, ScimRequestsRepository],
})
export class ScimRequestsModule {}
