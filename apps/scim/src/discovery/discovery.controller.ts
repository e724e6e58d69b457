import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { DiscoveryService } from './discovery.service';

@Controller()
export class DiscoveryController implements Operations<'scim', 'SCIM Discovery'> {
  constructor(private readonly discovery: DiscoveryService) {}

  @Operation('getScimServiceProviderConfig')
  getScimServiceProviderConfig({ principal }: Call<'getScimServiceProviderConfig'>) {
    return this.discovery.serviceProviderConfig(principal);
  }

  @Operation('listScimSchemas')
  listScimSchemas({ principal, query }: Call<'listScimSchemas'>) {
    return this.discovery.listSchemas(principal, query.filter);
  }

  @Operation('getScimSchema')
  getScimSchema({ principal, path }: Call<'getScimSchema'>) {
    return this.discovery.schema(principal, path.id);
  }

  @Operation('listScimResourceTypes')
  listScimResourceTypes({ principal, query }: Call<'listScimResourceTypes'>) {
    return this.discovery.listResourceTypes(principal, query.filter);
  }

  @Operation('getScimResourceType')
  getScimResourceType({ principal, path }: Call<'getScimResourceType'>) {
    return this.discovery.resourceType(principal, path.id);
  }
}
