export { EmbedTenant } from './embed-tenant.entity';
export {
  canonicalName,
  embedTenantNotFound,
  EmbedTenantsRepository,
  EVERYONE,
  groupOfTenant,
  NO_EMBED_TENANT,
} from './embed-tenants.repository';
export { EmbedTenantsModule } from './embed-tenants.module';
