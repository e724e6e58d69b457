export { columnsOf } from './columns';
export { getFinalQueryResult, getFinalQueryResultMulti } from './final-result';
export type { ResultRequest, Row } from './result-request';
export { valueIn } from './values';
