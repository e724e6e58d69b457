export * from './protocol';
export { engineCommand } from './program';
