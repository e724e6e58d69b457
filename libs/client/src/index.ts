export type { components, operations, paths } from './generated/api';
export { createClient, type ClientOptions, type PlinthClient } from './create-client';
export { PlinthError, unwrap } from './plinth-error';
export { listItems, type ListPath, type ItemOf } from './list-items';
export { warningsOf, type Warning } from './warnings';
