export { HIDDEN, withoutCredentials } from './hidden-credentials';
export { type KnownSecrets, Redactor } from './redactor';
