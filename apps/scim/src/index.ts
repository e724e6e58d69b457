import type { ServiceSchema } from '@plinth/database';
import { statefulService } from '@plinth/host';
import { scimSettings } from './scim.config';
import { ScimModule } from './scim.module';

export const scimSchema: ServiceSchema = {
  service: 'scim',
  entities: [],
  migrations: { preDeploy: [], postDeploy: [] },
};

/** The scim service: provisioning by identity providers. */
export const scim = statefulService({
  schema: scimSchema,
  settings: scimSettings,
  module: ScimModule,
});
