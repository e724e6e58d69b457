import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { ENTERPRISE, GROUP, LIST_RESPONSE, schemas, USER, type Attribute, type Schema } from '@plinth/scim-protocol';
import { MAX_RESULTS } from '../paging';

const base = '/api/scim/v2';

const supported = { supported: true };
const unsupported = { supported: false };

const schemeDescription = (name: string, description: string, primary: boolean) => ({
  type: 'oauthbearertoken' as const,
  name,
  description,
  primary,
});

const serviceProviderConfig = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: supported,
  bulk: { ...unsupported, maxOperations: 0, maxPayloadSize: 0 },
  filter: { ...supported, maxResults: MAX_RESULTS },
  changePassword: unsupported,
  sort: supported,
  etag: supported,
  authenticationSchemes: [
    schemeDescription('Bearer', 'Authorization: Bearer and a SCIM token.', true),
    schemeDescription('Api-Key', 'Authorization: Api-Key and a SCIM token.', false),
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
};

const resourceTypes = [
  { id: 'User', endpoint: '/Users', schema: USER, schemaExtensions: [{ schema: ENTERPRISE, required: false }] },
  { id: 'Group', endpoint: '/Groups', schema: GROUP, schemaExtensions: [] },
].map((each) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  ...each,
  name: each.id,
  description: `What is at ${each.endpoint}`,
  meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${each.id}` },
}));

/** The characteristics that RFC 7643 has words for (section 7). */
const describedAttribute = ({ subAttributes, ...attribute }: Attribute): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(attribute).filter(([key]) => key !== 'maxLength')),
  ...(subAttributes && { subAttributes: subAttributes.map(describedAttribute) }),
});

const describedSchema = (schema: Schema) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
  ...schema,
  attributes: schema.attributes.map(describedAttribute),
  meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
});

const describedSchemas = schemas.map(describedSchema);

/** Tells identity providers what there is. Holds nothing of a tenant but its address, so anybody may ask. */
@Injectable()
export class DiscoveryService {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  async serviceProviderConfig(principal: Principal): Promise<ReplyOf<'getScimServiceProviderConfig'>> {
    return located(serviceProviderConfig, await this.baseUrl(principal));
  }

  async listSchemas(principal: Principal, filter: string | undefined): Promise<ReplyOf<'listScimSchemas'>> {
    return all(describedSchemas, filter, await this.baseUrl(principal));
  }

  async schema(principal: Principal, id: string): Promise<ReplyOf<'getScimSchema'>> {
    return located(only(describedSchemas, id), await this.baseUrl(principal));
  }

  async listResourceTypes(principal: Principal, filter: string | undefined): Promise<ReplyOf<'listScimResourceTypes'>> {
    return all(resourceTypes, filter, await this.baseUrl(principal));
  }

  async resourceType(principal: Principal, id: string): Promise<ReplyOf<'getScimResourceType'>> {
    return located(only(resourceTypes, id), await this.baseUrl(principal));
  }

  private async baseUrl(principal: Principal): Promise<string> {
    return (await this.bus.ask('locateProvisioning', principal, undefined)).baseUrl;
  }
}

interface Described {
  meta: { location: string };
}

/** With the whole address in place of the path (RFC 7643, section 3.1). */
const located = <Item extends Described>(item: Item, baseUrl: string): Item => ({
  ...item,
  meta: { ...item.meta, location: `${baseUrl}${item.meta.location}` },
});

/** The whole list: discovery has no pages (RFC 7644, section 4). */
function all<Item extends Described>(items: readonly Item[], filter: string | undefined, baseUrl: string) {
  if (filter !== undefined) throw new AppError('scim.filter_forbidden', 'This list cannot be filtered');
  const count = items.length;
  const Resources = items.map((item) => located(item, baseUrl));
  return { schemas: [LIST_RESPONSE], totalResults: count, startIndex: 1, itemsPerPage: count, Resources };
}

function only<Item extends { id: string }>(items: readonly Item[], id: string): Item {
  const item = items.find((each) => each.id.toLowerCase() === id.toLowerCase());
  if (!item) throw new AppError('scim.not_found', `There is no ${id} here`);
  return item;
}
