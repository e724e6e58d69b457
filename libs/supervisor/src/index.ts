export { supervise } from './supervise';
