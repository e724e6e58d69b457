export type { Column, Result, Row } from './engine-rows';
export { QueriesModule } from './queries.module';
export type { QueryCaller } from './query-caller';
export { QueryRunner } from './query-runner.service';
