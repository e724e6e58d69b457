import { Module } from '@nestjs/common';
import { AccessModule } from '../effective-policies/effective-policies.module';
import { ResourcePoliciesController } from './resource-policies.controller';
import { ResourcePoliciesRepository } from './resource-policies.repository';
import { ResourcePoliciesService } from './resource-policies.service';

@Module({
  imports: [AccessModule],
  controllers: [ResourcePoliciesController],
  providers: [ResourcePoliciesService, ResourcePoliciesRepository],
})
export class ResourcePoliciesModule {}
