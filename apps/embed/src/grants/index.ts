export { AccountGrants, idsOf } from './account-grants.service';
export { EmbeddingGuard } from './embedding.guard';
export { GrantsModule } from './grants.module';
