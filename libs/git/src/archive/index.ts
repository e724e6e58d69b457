export { packEverything } from './pack-everything';
export { readEveryRef, type References } from './read-every-ref';
export { unpackRepository } from './unpack-repository';
