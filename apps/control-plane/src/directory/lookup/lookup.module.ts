import { Module } from '@nestjs/common';
import { CredentialsDomain } from '../../credentials';
import { DeploymentsDomain } from '../../deployments';
import { RightsDomain } from '../../rights';
import { SignInDomain } from '../../sign-in';
import { TenancyDomain } from '../../tenancy';
import { PeopleDomain } from '../../people';
import { ContentDirectoryService } from './content-directory.service';
import { DirectoryController } from './directory.controller';
import { DirectoryService } from './directory.service';
import { EmbedGrantsService } from './embed-grants.service';
import { EmbedSessionsService } from './embed-sessions.service';

@Module({
  imports: [TenancyDomain, PeopleDomain, RightsDomain, CredentialsDomain, SignInDomain, DeploymentsDomain],
  controllers: [DirectoryController],
  providers: [DirectoryService, ContentDirectoryService, EmbedGrantsService, EmbedSessionsService],
})
export class LookupModule {}
