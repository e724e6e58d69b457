export { AiProvider } from './ai-provider.entity';
export { tokensOf } from './ai-provider.service';
export type { Connection } from './connection';
export { Connections } from './connections.service';
export { Models } from './models.service';
export { providerSettings } from './provider.config';
export { problemOf, type ProviderFailure } from './provider-failure';
export { ProviderModule } from './provider.module';
export { UsageRepository, type Tokens } from './usage.repository';
