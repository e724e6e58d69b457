import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { GithubCatalogueService } from './github-catalogue.service';
import { GithubLinkService } from './github-link.service';
import { GithubWebhookService } from './github-webhook.service';

@Controller()
export class GithubController implements Operations<'build-worker', 'GitHub'> {
  constructor(
    private readonly links: GithubLinkService,
    private readonly catalogue: GithubCatalogueService,
    private readonly webhooks: GithubWebhookService,
  ) {}

  @Operation('status')
  status({ principal }: Call<'status'>) {
    return this.links.status(principal);
  }

  @Operation('setUpGitHub')
  setUpGitHub({ query }: Call<'setUpGitHub'>) {
    return this.links.setUp(query);
  }

  @Operation('linkGitHubInstallations')
  linkGitHubInstallations({ principal, body }: Call<'linkGitHubInstallations'>) {
    return this.links.link(principal, body);
  }

  @Operation('installations')
  installations({ principal, query }: Call<'installations'>) {
    return this.catalogue.installations(principal, query);
  }

  @Operation('repositories')
  repositories({ principal, path, query }: Call<'repositories'>) {
    return this.catalogue.repositories(principal, path, query);
  }

  @Operation('branches')
  branches({ principal, path, query }: Call<'branches'>) {
    return this.catalogue.branches(principal, path, query);
  }

  @Operation('receiveGitHubWebhook')
  receiveGitHubWebhook({ headers, rawBody }: Call<'receiveGitHubWebhook'>) {
    return this.webhooks.receive(headers ?? {}, Buffer.from(rawBody ?? '', 'base64'));
  }
}
