import { Module } from '@nestjs/common';
import { UserLifecycle } from './user-lifecycle.service';
import { UsersRepository } from './users.repository';

@Module({ providers: [UserLifecycle, UsersRepository], exports: [UserLifecycle, UsersRepository] })
export class UsersModule {}
