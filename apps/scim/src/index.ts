import { statelessService } from '@plinth/host';
import { scimSettings } from './scim.config';
import { ScimModule } from './scim.module';

/** The scim service: provisioning by identity providers, over operations of the control plane. */
export const scim = statelessService({ service: 'scim', settings: scimSettings, module: () => ScimModule });
