export { MOST_ROWS, type Column, type Result, type Row } from './engine-rows';
export { QueriesModule } from './queries.module';
export type { QueryCaller } from './query-caller';
export { QueryRunner } from './query-runner.service';
