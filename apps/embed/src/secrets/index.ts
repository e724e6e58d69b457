export { EmbedSecretsModule } from './embed-secrets.module';
export { EmbedSecretsRepository } from './embed-secrets.repository';
export { readSessionToken, signSessionToken } from './session-token';
