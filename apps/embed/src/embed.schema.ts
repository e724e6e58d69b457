import { DropIntents1701200000000, type ServiceSchema } from '@plinth/database';
import { CreateEmbedIdentities1701400000000 } from './migrations/pre-deploy/1701400000000-CreateEmbedIdentities.migration';
import { CreateDashboardComments1701500000004 } from './migrations/pre-deploy/1701500000004-CreateDashboardComments.migration';
import { FindCommentsOfDashboards1701640000000 } from './migrations/pre-deploy/1701640000000-FindCommentsOfDashboards.migration';
import { DashboardComment } from './comments';
import { CreateEmbedSessions1701500000000 } from './migrations/pre-deploy/1701500000000-CreateEmbedSessions.migration';
import { EmbedGroup } from './groups';
import { EmbedTenant } from './tenants';
import { EmbedUser } from './users';

export const embedSchema: ServiceSchema = {
  service: 'embed',
  entities: [EmbedTenant, EmbedGroup, EmbedUser, DashboardComment],
  migrations: {
    preDeploy: [
      CreateEmbedIdentities1701400000000,
      CreateEmbedSessions1701500000000,
      CreateDashboardComments1701500000004,
      FindCommentsOfDashboards1701640000000,
    ],
    postDeploy: [DropIntents1701200000000],
  },
  retention: [
    { table: 'embed_session', expired: 'expires_at < now()' },
    { table: 'embed_secret', expired: 'expires_at < now()' },
  ],
};
