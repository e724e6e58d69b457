export { identityOfUser, type Asker } from './asker';
export { Askers } from './askers.service';
