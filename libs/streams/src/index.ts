export { own } from './own';
export { ownedBytes } from './owned-bytes';
export { spawnOwned } from './spawn-owned';
