import { Module } from '@nestjs/common';
import { PasswordHashes } from './password-hashes';
import { PasswordsController } from './passwords.controller';
import { PasswordsRepository } from './passwords.repository';
import { Passwords } from './passwords.service';

@Module({
  controllers: [PasswordsController],
  providers: [Passwords, PasswordHashes, PasswordsRepository],
  exports: [Passwords],
})
export class PasswordsModule {}
