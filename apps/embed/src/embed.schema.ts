import { DropIntents1701200000000, type ServiceSchema } from '@plinth/database';
import { CreateEmbedIdentities1701400000000 } from './migrations/pre-deploy/1701400000000-CreateEmbedIdentities.migration';
import { EmbedGroup } from './groups';
import { EmbedTenant } from './tenants';
import { EmbedUser } from './users';

export const embedSchema: ServiceSchema = {
  service: 'embed',
  entities: [EmbedTenant, EmbedGroup, EmbedUser],
  migrations: { preDeploy: [CreateEmbedIdentities1701400000000], postDeploy: [DropIntents1701200000000] },
};
