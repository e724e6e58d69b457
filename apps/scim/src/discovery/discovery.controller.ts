import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { DiscoveryService } from './discovery.service';

@Controller()
export class DiscoveryController implements Operations<'scim', 'SCIM Discovery'> {
  constructor(private readonly discovery: DiscoveryService) {}

  @Operation('getScimServiceProviderConfig')
  getScimServiceProviderConfig() {
    return this.discovery.serviceProviderConfig();
  }

  @Operation('listScimSchemas')
  listScimSchemas({ query }: Call<'listScimSchemas'>) {
    return this.discovery.listSchemas(query.filter);
  }

  @Operation('getScimSchema')
  getScimSchema({ path }: Call<'getScimSchema'>) {
    return this.discovery.schema(path.id);
  }

  @Operation('listScimResourceTypes')
  listScimResourceTypes({ query }: Call<'listScimResourceTypes'>) {
    return this.discovery.listResourceTypes(query.filter);
  }

  @Operation('getScimResourceType')
  getScimResourceType({ path }: Call<'getScimResourceType'>) {
    return this.discovery.resourceType(path.id);
  }
}
