export { FairGate, type FairGateOptions } from './fair-gate';
export { TaskRunner, type TaskRunnerOptions } from './task-runner';
export type { Claim, TaskStore } from './task-store';
export { throughOutages } from './through-outages';
export { WakeableLoop, type WakeableLoopOptions } from './wakeable-loop';
