export {
  checkConfig,
  ConfigError,
  environmentOver,
  flag,
  integer,
  list,
  loadConfig,
  secretSetting,
  setting,
  type ConfigGroup,
  type ConfigOf,
  type Environment,
  type Setting,
  type Settings,
} from './settings';
export {
  accessSettings,
  addressSettings,
  agentAddressSettings,
  databaseSettings,
  processSettings,
  sandboxSettings,
} from './shared-settings';
