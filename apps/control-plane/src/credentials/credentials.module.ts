import { Module } from '@nestjs/common';
import { ApiKeysModule } from './api-keys/api-keys.module';
import { ScimTokensModule } from './scim-tokens/scim-tokens.module';
import { SecretsModule } from './secrets/secrets.module';

const features = [ApiKeysModule, ScimTokensModule, SecretsModule];

@Module({ imports: features, exports: features })
export class CredentialsDomain {}
