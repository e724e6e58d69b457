export { AccountGrants, idsOf } from './account-grants.service';
export { EmbeddingGuard, type Embedding } from './embedding.guard';
export { GrantsModule } from './grants.module';
