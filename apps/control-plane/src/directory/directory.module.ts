import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts/accounts.module';
import { LookupModule } from './lookup/lookup.module';

@Module({ imports: [LookupModule, AccountsModule] })
export class DirectoryDomain {}
