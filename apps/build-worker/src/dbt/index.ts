export { findDbt } from './sandbox/dbt-installation';
export { DbtModule } from './dbt.module';
export { DbtSource } from './sources/dbt-source.entity';
export { DbtSync } from './syncs/dbt-sync.entity';
export { DbtSyncLog } from './syncs/dbt-sync-log.entity';
