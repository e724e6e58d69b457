import { Module } from '@nestjs/common';
import { CredentialsDomain } from '../../credentials';
import { KernelModule } from '../../kernel';
import { PeopleDomain } from '../../people';
import { TenancyDomain } from '../../tenancy';
import { GuessingModule } from '../guessing/guessing.module';
import { OAuthModule } from '../oauth/oauth.module';
import { OwnPassword } from './own-password.service';
import { PasswordHashes } from './password-hashes';
import { PasswordLinkIssuer } from './password-link-issuer';
import { PasswordLinksController } from './password-links.controller';
import { PasswordLinksRepository } from './password-links.repository';
import { PasswordLinksService } from './password-links.service';
import { PasswordMails } from './password-mails.service';
import { PasswordMailsRepository } from './password-mails.repository';
import { PasswordsRepository } from './passwords.repository';
import { Passwords } from './passwords.service';
import { UserPasswordLinks } from './user-password-links.service';

@Module({
  imports: [KernelModule, TenancyDomain, PeopleDomain, CredentialsDomain, GuessingModule, OAuthModule],
  controllers: [PasswordLinksController],
  providers: [
    Passwords,
    PasswordHashes,
    PasswordsRepository,
    OwnPassword,
    PasswordLinksService,
    PasswordLinkIssuer,
    PasswordLinksRepository,
    UserPasswordLinks,
    PasswordMails,
    PasswordMailsRepository,
  ],
  exports: [Passwords, OwnPassword, PasswordLinkIssuer, UserPasswordLinks],
})
export class PasswordsModule {}
