/** A backup or a restore is not possible, or has failed and left nothing behind. The message is for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
