import { Module } from '@nestjs/common';
import { KernelModule } from '../../kernel';
import { PeopleDomain } from '../../people';
import { ResourcePoliciesController } from './resource-policies.controller';
import { ResourcePoliciesRepository } from './resource-policies.repository';
import { ResourcePoliciesService } from './resource-policies.service';

@Module({
  imports: [KernelModule, PeopleDomain],
  controllers: [ResourcePoliciesController],
  providers: [ResourcePoliciesService, ResourcePoliciesRepository],
})
export class ResourcePoliciesModule {}
