export { AccountGrants, idsOf } from './account-grants.service';
export { GrantsModule } from './grants.module';
