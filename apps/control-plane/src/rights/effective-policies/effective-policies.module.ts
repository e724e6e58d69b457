import { Module } from '@nestjs/common';
import { AccessChanges } from '../../kernel/access-changes/access-changes.service';
import { EffectivePoliciesRepository } from './effective-policies.repository';
import { EffectivePolicies } from './effective-policies.service';

@Module({
  providers: [AccessChanges, EffectivePolicies, EffectivePoliciesRepository],
  exports: [AccessChanges, EffectivePolicies],
})
export class AccessModule {}
