import { Module } from '@nestjs/common';
import { EffectivePoliciesModule } from './effective-policies/effective-policies.module';
import { ResourcePoliciesModule } from './resource-policies/resource-policies.module';
import { RolesModule } from './roles/roles.module';

const features = [EffectivePoliciesModule, RolesModule, ResourcePoliciesModule];

@Module({ imports: features, exports: features })
export class RightsDomain {}
