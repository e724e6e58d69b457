import { randomBytes } from 'node:crypto';

/** An account on GitHub on which the App is installed. */
export interface GithubAccount {
  id: number;
  login: string;
  type: 'Organization' | 'User';
}

export interface GithubInstallation {
  id: number;
  account: GithubAccount;
  suspended: boolean;
  repositories: GithubRepository[];
}

export interface GithubRepository {
  id: number;
  name: string;
  fullName: string;
  private: boolean;
  defaultBranch: string;
  branches: string[];
}

/** What a token of an installation opens. */
export interface TokenGrant {
  installation: GithubInstallation;
  /** Null: every repository of the installation. */
  repositoryIds: readonly number[] | null;
  expiresAt: Date;
}

const TOKEN_LIFE_MS = 3_600_000;

/** What the server knows: installations, repositories, users, and the tokens and codes that it gave out. */
export class GithubState {
  readonly installations = new Map<number, GithubInstallation>();
  /** Every secret that left this server, for tests that look for leaks. */
  readonly secrets: string[] = [];
  /** Accounts that a user owns or is a member of: login of the user, login of the account, role. */
  readonly memberships = new Map<string, Map<string, 'admin' | 'member'>>();
  private readonly tokens = new Map<string, TokenGrant>();
  private readonly codes = new Map<string, string>();
  private readonly userTokens = new Map<string, string>();
  private lastId = 1000;

  nextId(): number {
    return ++this.lastId;
  }

  findRepository(fullName: string): { installation: GithubInstallation; repository: GithubRepository } | undefined {
    const wanted = fullName.toLowerCase();
    for (const installation of this.installations.values()) {
      const repository = installation.repositories.find((each) => each.fullName.toLowerCase() === wanted);
      if (repository) return { installation, repository };
    }
    return undefined;
  }

  issueToken(installation: GithubInstallation, repositoryIds: readonly number[] | null): [string, TokenGrant] {
    const grant = { installation, repositoryIds, expiresAt: new Date(Date.now() + TOKEN_LIFE_MS) };
    const token = this.secret('ghs_');
    this.tokens.set(token, grant);
    return [token, grant];
  }

  grantOf(token: string): TokenGrant | undefined {
    const grant = this.tokens.get(token);
    return grant && !grant.installation.suspended && grant.expiresAt > new Date() ? grant : undefined;
  }

  issueCode(login: string): string {
    const code = this.secret('code_');
    this.codes.set(code, login);
    return code;
  }

  /** Each code is good once. */
  redeem(code: string): string | undefined {
    const login = this.codes.get(code);
    if (login === undefined) return undefined;
    this.codes.delete(code);
    const token = this.secret('ghu_');
    this.userTokens.set(token, login);
    return token;
  }

  userOf(token: string): string | undefined {
    return this.userTokens.get(token);
  }

  private secret(prefix: string): string {
    const secret = prefix + randomBytes(18).toString('hex');
    this.secrets.push(secret);
    return secret;
  }
}
