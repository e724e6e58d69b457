import { DropIntents1701200000000, type ServiceSchema } from '@plinth/database';
import { CreateEmbedIdentities1701400000000 } from './migrations/pre-deploy/1701400000000-CreateEmbedIdentities.migration';
import { EmbedGroup } from './groups/embed-group.entity';
import { EmbedTenant } from './tenants/embed-tenant.entity';
import { EmbedUser } from './users/embed-user.entity';

export const embedSchema: ServiceSchema = {
  service: 'embed',
  extensions: ['pg_trgm', 'btree_gin'],
  entities: [EmbedTenant, EmbedGroup, EmbedUser],
  migrations: { preDeploy: [CreateEmbedIdentities1701400000000], postDeploy: [DropIntents1701200000000] },
};
