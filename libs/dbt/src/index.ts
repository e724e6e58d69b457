export {
  type Conversion,
  type ConversionContext,
  type ConversionOptions,
  DEFAULT_OPTIONS,
  type GeneratedFile,
  type ManifestStats,
  NoModelMatched,
  type Skipped,
} from './conversion';
export { convertManifest } from './convert';
export { type Catalog, type CatalogColumn, parseCatalog } from './manifest/catalog';
export { type Manifest, parseManifest } from './manifest/manifest';
export { ManifestError } from './manifest/manifest-error';
export { ManifestTooLarge, readManifest } from './manifest/manifest-reader';
export { type FilePlan, outputFolder, planFiles } from './output/file-plan';
