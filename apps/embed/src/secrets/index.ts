export { EmbedSecretsModule } from './embed-secrets.module';
export { EmbedSecretsRepository, signing, type SealedSecret } from './embed-secrets.repository';
export { readSessionToken, signSessionToken } from './session-token';
