import { processSettings } from '@plinth/config';

/** Everything an operator can set on the scim service. */
export const scimSettings = { ...processSettings };
