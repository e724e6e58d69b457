export { startGitHttpServer } from './git-http-server';
export type { GitHttpServer, GitHttpServerOptions } from './git-http-server';
export { hasSshServer, startGitSshServer } from './git-ssh-server';
export type { GitSshServer } from './git-ssh-server';
export { UpstreamRepository, gitIn } from './remote-fixture';
