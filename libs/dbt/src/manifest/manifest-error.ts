/** Something that should be a manifest or a catalogue of dbt and is not. The message is for who sent it. */
export class ManifestError extends Error {
  override name = 'ManifestError';
}
