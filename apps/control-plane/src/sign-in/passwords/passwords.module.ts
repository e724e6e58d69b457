import { Module } from '@nestjs/common';
import { OAuthArtefactsRepository } from '../oauth/oauth-artefacts.repository';
import { PasswordLinksRepository } from '../password-links/password-links.repository';
import { PasswordHashes } from './password-hashes';
import { PasswordsRepository } from './passwords.repository';
import { Passwords } from './passwords.service';

@Module({
  providers: [Passwords, PasswordHashes, PasswordsRepository, PasswordLinksRepository, OAuthArtefactsRepository],
  exports: [Passwords],
})
export class PasswordsModule {}
