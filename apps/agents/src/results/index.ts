export { cutRows } from './cut-rows';
export { MOST_CHARACTERS } from './fitting';
export { findCubes } from './found-members';
