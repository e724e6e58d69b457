export { own } from './own';
export { ownedBytes } from './owned-bytes';
export { readLines, type LineEnd } from './read-lines';
export { spawnOwned } from './spawn-owned';
export { unlessAborted } from './unless-aborted';
