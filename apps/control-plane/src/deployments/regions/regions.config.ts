import { setting, type ConfigOf } from '@plinth/config';
import { regionList } from './region-list';

export const regionSettings = {
  regions: setting(
    'PLINTH_REGIONS',
    regionList,
    'Regions that tenants may use: a JSON array of objects with `name`, and optionally `title` and `provider`.',
  ),
};

export type RegionConfig = ConfigOf<typeof regionSettings>;
