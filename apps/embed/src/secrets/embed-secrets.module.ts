import { Module } from '@nestjs/common';
import { SecretBox } from '@plinth/database';
import { CONFIG } from '@plinth/host';
import type { EmbedConfig } from '../embed.config';
import { EmbedSecretsRepository } from './embed-secrets.repository';

const secretBox = {
  provide: SecretBox,
  inject: [CONFIG],
  useFactory: ({ encryptionKeys }: Pick<EmbedConfig, 'encryptionKeys'>) => new SecretBox(encryptionKeys),
};

@Module({ providers: [secretBox, EmbedSecretsRepository], exports: [EmbedSecretsRepository] })
export class EmbedSecretsModule {}
