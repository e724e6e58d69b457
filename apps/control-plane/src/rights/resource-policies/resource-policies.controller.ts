import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { ResourcePoliciesService } from './resource-policies.service';

@Controller()
export class ResourcePoliciesController implements Operations<'control-plane', 'Resource Policies'> {
  constructor(private readonly policies: ResourcePoliciesService) {}

  @Operation('getResourcePolicies')
  getResourcePolicies({ principal, query }: Call<'getResourcePolicies'>) {
    return this.policies.list(principal, query);
  }

  @Operation('setUserResourcePolicy')
  setUserResourcePolicy({ principal, body }: Call<'setUserResourcePolicy'>) {
    return this.policies.setForUser(principal, body);
  }

  @Operation('setGroupResourcePolicy')
  setGroupResourcePolicy({ principal, body }: Call<'setGroupResourcePolicy'>) {
    return this.policies.setForGroup(principal, body);
  }
}
