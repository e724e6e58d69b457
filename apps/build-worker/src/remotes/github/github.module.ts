import { Module } from '@nestjs/common';
import { DataModelsModule } from '../../data-models';
import { ProvisioningModule } from '../../provisioning';
import { GitRemotesModule } from '../git-remotes/git-remotes.module';
import { GithubApp } from './github-app';
import { GithubCatalogueService } from './github-catalogue.service';
import { GithubConnectService } from './github-connect.service';
import { GithubConnectionController } from './github-connection.controller';
import { GithubDeliveriesRepository } from './github-deliveries.repository';
import { GithubInstallationsRepository } from './github-installations.repository';
import { GithubLinkService } from './github-link.service';
import { GithubRemoteCredentials } from './github-remote-credentials';
import { GithubRepositoryFactory } from './github-repository.factory';
import { GithubWebhookService } from './github-webhook.service';
import { GithubController } from './github.controller';
import { LinkSeals } from './link-seals';

/** The GitHub App: its installations, their repositories, and what GitHub says of them. */
@Module({
  imports: [DataModelsModule, ProvisioningModule, GitRemotesModule],
  controllers: [GithubController, GithubConnectionController],
  providers: [
    GithubApp,
    GithubInstallationsRepository,
    GithubDeliveriesRepository,
    LinkSeals,
    GithubLinkService,
    GithubCatalogueService,
    GithubRemoteCredentials,
    GithubRepositoryFactory,
    GithubConnectService,
    GithubWebhookService,
  ],
})
export class GithubModule {}
