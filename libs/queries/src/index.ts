export { ANSWER_LIMIT_BYTES } from './engine-answer';
export type { MetaCube, MetaMember } from './meta';
export { QueriesModule } from './queries.module';
export type { EngineCaller, QueryCaller } from './query-caller';
export { MOST_ROWS, type Column, type Result, type Row, type SqlTable } from './query-result';
export { QueryRunner } from './query-runner.service';
