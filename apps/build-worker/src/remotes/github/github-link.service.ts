import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { Database, pageInfo } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { GithubApp } from './github-app';
import { toContractInstallation, type GithubInstallation } from './github-installation.entity';
import { GithubInstallationsRepository } from './github-installations.repository';
import { invalidLink, LinkSeals } from './link-seals';

/**
 * Links accounts to installations of the GitHub App.
 *
 * Nothing that arrives at the return address is believed: anybody can call it with the number of any installation, so
 * the person's authorisation decides what they own. And what arrives there links nothing yet: a person led there by
 * somebody else would give their repositories away. The code that the return address shows has to be sent by the user
 * who began.
 */
@Injectable()
export class GithubLinkService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly installations: GithubInstallationsRepository,
    private readonly app: GithubApp,
    private readonly seals: LinkSeals,
  ) {}

  async status(principal: Principal): Promise<ReplyOf<'status'>> {
    if (!this.app.isConfigured) return { connected: false, linkUrl: '', settingsUrl: '' };
    const linked = await this.database.transaction(principal.tenantId, (tx) => this.installations.list(tx, 1));
    const state = this.seals.newState(principal);
    return {
      connected: linked.length > 0,
      linkUrl: this.app.authorisationUrl(state) ?? '',
      settingsUrl: this.app.installationUrl(state),
    };
  }

  /** Public: GitHub sends browsers here. */
  async setUp({ state, code, installation_id: only }: QueryOf<'setUpGitHub'>): Promise<ReplyOf<'setUpGitHub'>> {
    const request = this.seals.openState(state);
    const user = await this.app.userOf(code);
    const owned = await user.ownedInstallations();
    const offered = owned.filter(({ id, suspended }) => !suspended && (only === undefined || id === only));
    if (offered.length === 0) {
      throw new AppError('github.not_owner', 'You own no account at GitHub on which the App is installed');
    }
    const installations = offered.map(({ id, login, accountType, avatarUrl }) => ({
      id,
      login,
      accountType,
      avatarUrl,
    }));
    return {
      linkCode: this.seals.offer({ ...request, installations }),
      expiresAt: request.expiresAt,
      tenantName: request.tenantName,
      logins: offered.map(({ login }) => login),
    };
  }

  /** @throws AppError `github.link_invalid` (400) for a code that is used, ended, or not for this user */
  link(
    principal: Principal,
    { linkCode }: BodyOf<'linkGitHubInstallations'>,
  ): Promise<ReplyOf<'linkGitHubInstallations'>> {
    const { tenantId } = principal;
    return this.database.mutate(principal, async (tx) => {
      const { id, installations, ...offer } = this.seals.openOffer(linkCode);
      if (offer.tenantId !== tenantId || offer.userId !== principal.userId) throw invalidLink();
      if (!(await this.installations.useRequest(tx, tenantId, id))) throw invalidLink();
      const rows = installations.map(({ id: installationId, ...account }) => ({
        tenantId,
        installationId,
        ...account,
      }));
      await this.installations.save(tx, rows);
      const ids = rows.map(({ installationId }) => installationId);
      return linkedReply(await this.installations.findAll(tx, ids));
    });
  }

  /** For the operator, who answers for it that the account belongs to the tenant. */
  async linkByOperator(tenantId: number, installationId: number): Promise<{ login: string }> {
    const { login, accountType, avatarUrl } = await this.app.client.installation(installationId);
    const row = { tenantId, installationId, login, accountType, avatarUrl };
    await this.database.transaction(tenantId, (tx) => this.installations.save(tx, [row]));
    return { login };
  }
}

function linkedReply(rows: readonly GithubInstallation[]): ReplyOf<'linkGitHubInstallations'> {
  const items = rows.map(toContractInstallation);
  return { items, data: items, pageInfo: pageInfo([], false, false) };
}
