export {
  EngineFailed,
  EngineGone,
  ModelBroken,
  type EngineCall,
  type EngineDriver,
  type EngineEnd,
  type EngineNews,
  type EngineReply,
  type EngineStart,
  type Place,
  type RunningEngine,
  type TokenFile,
} from './engine-driver';
export type { EngineListener, QueryReport, StartOutcome } from './engine-listener';
export { EngineRegistry, type EngineState } from './engine-registry';
export type { EngineLease, Wanted } from './engine-run';
export { tokenPaths } from './token-paths';
export { TranspiledModels } from './transpiled-models';
