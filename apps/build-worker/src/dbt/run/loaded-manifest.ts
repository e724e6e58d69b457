import type { ConversionContext, Manifest } from '@plinth/dbt';

/** What a source brings. */
export interface LoadedManifest extends ConversionContext {
  manifest: Manifest;
}
