import { Module } from '@nestjs/common';
import { EffectivePoliciesRepository } from './effective-policies.repository';
import { EffectivePolicies } from './effective-policies.service';

@Module({ providers: [EffectivePolicies, EffectivePoliciesRepository], exports: [EffectivePolicies] })
export class EffectivePoliciesModule {}
