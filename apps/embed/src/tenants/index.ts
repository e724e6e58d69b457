export { EmbedTenant } from './embed-tenant.entity';
export {
  canonicalName,
  embedTenantNotFound,
  EmbedTenantsRepository,
  EVERYONE,
  groupOfTenant,
} from './embed-tenants.repository';
export { EmbedTenantsModule } from './embed-tenants.module';
