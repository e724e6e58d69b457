export * from './git-error';
export * from './remote';
export {
  hasUnfinishedRestore,
  packEverything,
  readEveryRef,
  restoreFolder,
  restoreNote,
  setReferences,
  unpackObjects,
  type References,
} from './archive';
export { BareRepository } from './bare-repository';
export { BlobTooLargeError } from './blob-spool';
export type { StoredBlob } from './blob-spool';
export type { CommitRequest, PreparedCommit } from './bare-repository';
export { branchRef, isValidBranchName } from './branch-names';
export type { TreeChange } from './changes';
export type { GitSettings } from './git-environment';
export type { Branch, LogEntry } from './history';
export type { MergeConflict, MergeResult } from './merge';
export type { CommitFields, Signature } from './object-format';
export { isObjectId } from './object-id';
export type { ObjectId } from './object-id';
export { InvalidPathError, normaliseFolder, normalisePath } from './paths';
export type { KeptObjects } from './packing';
export type { RefUpdate } from './ref-transactions';
export { repositoryPath } from './repository-path';
export { RepositoryNotFoundError, RepositoryStore } from './repository-store';
export type { RepositoryStoreOptions } from './repository-store';
export type { TreeFile } from './tree-store';
