export { GitRemote } from './git-remotes/git-remote.entity';
export { RemoteTasksRepository } from './git-remotes/remote-tasks.repository';
export { GithubApp } from './github/github-app';
export { GithubInstallation } from './github/github-installation.entity';
export { GithubInstallationsRepository } from './github/github-installations.repository';
export { GithubLinkService } from './github/github-link.service';
export { LinkSeals } from './github/link-seals';
export { RemotesModule } from './remotes.module';
