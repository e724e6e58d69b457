export { cellJson, textJson } from './cell-json';
export { columnsOf, type ResultColumn } from './columns';
export { getFinalQueryResult, getFinalQueryResultMulti } from './final-result';
export type { ResultRequest, Row } from './result-request';
