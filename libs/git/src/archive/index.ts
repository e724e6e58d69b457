export { hasUnfinishedRestore, restoreFolder, restoreNote } from './unfinished-restore';
export { packEverything } from './pack-everything';
export { readEveryRef, type References } from './read-every-ref';
export { setReferences, unpackObjects } from './unpack-repository';
