import { setting, type ConfigOf } from '@plinth/config';
import { z } from 'zod';

export const versionSettings = {
  versionCatalogueFile: setting(
    'PLINTH_VERSION_CATALOGUE_FILE',
    z.string().optional(),
    'File with the engine versions on offer; the catalogue that is shipped when absent.',
  ),
};

export type VersionConfig = ConfigOf<typeof versionSettings>;
