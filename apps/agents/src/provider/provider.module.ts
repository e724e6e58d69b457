import { Module } from '@nestjs/common';
import type { ConfigOf, databaseSettings } from '@plinth/config';
import { SecretBox } from '@plinth/database';
import { CONFIG } from '@plinth/host';
import { AiProviderController } from './ai-provider.controller';
import { AiProviderRepository } from './ai-provider.repository';
import { AiProviderService } from './ai-provider.service';
import { Connections } from './connections.service';
import { Models } from './models.service';
import { UsageRepository } from './usage.repository';

@Module({
  controllers: [AiProviderController],
  providers: [
    AiProviderService,
    AiProviderRepository,
    Connections,
    Models,
    UsageRepository,
    {
      provide: SecretBox,
      inject: [CONFIG],
      useFactory: ({ encryptionKeys }: ConfigOf<typeof databaseSettings>) => new SecretBox(encryptionKeys),
    },
  ],
  exports: [Connections, Models, UsageRepository],
})
export class ProviderModule {}
