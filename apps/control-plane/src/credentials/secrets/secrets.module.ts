import { Module } from '@nestjs/common';
import type { ConfigOf, databaseSettings } from '@plinth/config';
import { SecretBox } from '@plinth/database';
import { CONFIG } from '@plinth/host';

const secretBox = {
  provide: SecretBox,
  inject: [CONFIG],
  useFactory: ({ encryptionKeys }: ConfigOf<typeof databaseSettings>) => new SecretBox(encryptionKeys),
};

/** What seals secrets before they are stored. */
@Module({ providers: [secretBox], exports: [SecretBox] })
export class SecretsModule {}
