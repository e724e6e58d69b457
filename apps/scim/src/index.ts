import { statefulService } from '@plinth/host';
import { scimSettings } from './scim.config';
import { ScimModule } from './scim.module';

/** The scim service: provisioning by identity providers. */
export const scim = statefulService({
  schema: { service: 'scim', entities: [], migrations: { preDeploy: [], postDeploy: [] } },
  settings: scimSettings,
  module: ScimModule,
});
