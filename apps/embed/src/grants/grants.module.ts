import { Module } from '@nestjs/common';
import { AccountGrants } from './account-grants.service';

@Module({ providers: [AccountGrants], exports: [AccountGrants] })
export class GrantsModule {}
