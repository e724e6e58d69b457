export { migrationsOf, tablesOf, type ArchivedTable, type Partition } from './catalogue';
export {
  continueAfter,
  deleteRows,
  isEmpty,
  isOfTenants,
  lastNumbers,
  makePartitions,
  readRows,
  sealingKeysOf,
  withoutTriggers,
  writeRows,
} from './rows';
export { provisionUpTo, requireKnown, UnknownMigrationsError } from './provision-up-to';
