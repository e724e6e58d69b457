export { Charts } from './charts.service';
export { encodeLine, newAnswer, questionLine, stateLine } from './messages';
export type { RunningTurn } from './running-turn';
export { TurnMetrics } from './turn-metrics';
export { Turns, type TurnPlan } from './turns.service';
export { turnSettings } from './turns.config';
