import { Injectable } from '@nestjs/common';
import type { ReplyOf } from '@plinth/contract';
import { AppError } from '@plinth/errors';
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

/** Tells identity providers what there is. Holds nothing of a tenant, so anybody may ask. */
@Injectable()
export class DiscoveryService {
  async serviceProviderConfig(): Promise<ReplyOf<'getScimServiceProviderConfig'>> {
    return serviceProviderConfig;
  }

  async listSchemas(filter: string | undefined): Promise<ReplyOf<'listScimSchemas'>> {
    return all(describedSchemas, filter);
  }

  async schema(id: string): Promise<ReplyOf<'getScimSchema'>> {
    return only(describedSchemas, id);
  }

  async listResourceTypes(filter: string | undefined): Promise<ReplyOf<'listScimResourceTypes'>> {
    return all(resourceTypes, filter);
  }

  async resourceType(id: string): Promise<ReplyOf<'getScimResourceType'>> {
    return only(resourceTypes, id);
  }
}

/** The whole list: discovery has no pages (RFC 7644, section 4). */
function all<Item>(items: readonly Item[], filter: string | undefined) {
  if (filter !== undefined) throw new AppError('scim.filter_forbidden', 'This list cannot be filtered');
  const count = items.length;
  return { schemas: [LIST_RESPONSE], totalResults: count, startIndex: 1, itemsPerPage: count, Resources: [...items] };
}

function only<Item extends { id: string }>(items: readonly Item[], id: string): Item {
  const item = items.find((each) => each.id.toLowerCase() === id.toLowerCase());
  if (!item) throw new AppError('scim.not_found', `There is no ${id} here`);
  return item;
}
