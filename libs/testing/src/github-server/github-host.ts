import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startGitHttpServer, UpstreamRepository } from '../git-servers';
import { startGithubServer, type GithubServer, type NewRepository } from './index';

/** GitHub with the git repositories behind it: the API beside a real git server that takes its tokens. */
export interface GithubHost {
  github: GithubServer;
  /** Makes a repository that an installation covers, with a first commit of these files on `main`; empty without. */
  addRepository(installationId: number, repository: NewRepository, files?: Record<string, string>): UpstreamRepository;
  /** A repository that a client has made. */
  open(fullName: string): UpstreamRepository | undefined;
  /** The body of a push of that branch. */
  pushOf(installationId: number, fullName: string, branch: string): object;
  stop(): Promise<void>;
}

export async function startGithubHost(): Promise<GithubHost> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-github-'));
  const repositories = new Map<string, UpstreamRepository>();
  const create = (fullName: string): UpstreamRepository => {
    mkdirSync(join(folder, dirname(fullName)), { recursive: true });
    const repository = new UpstreamRepository(folder, fullName);
    repositories.set(fullName, repository);
    return repository;
  };
  let opens: GithubServer['opens'] = () => false;
  const git = await startGitHttpServer({
    repositories: folder,
    intercept: (request, response) => refuse(request, response, (token, fullName) => opens(token, fullName)),
  });
  const cloneUrl = (fullName: string): string => `${git.url}/${fullName}.git`;
  const github = await startGithubServer({ cloneUrl, onCreated: ({ fullName }) => void create(fullName) });
  opens = github.opens;
  return {
    github,
    addRepository: (installationId, description, files) => {
      const { fullName } = github.addRepository(installationId, description);
      const repository = create(fullName);
      if (files) repository.commit('main', files);
      return repository;
    },
    open: (fullName) => repositories.get(fullName),
    pushOf: (installationId, fullName, branch) => ({
      ref: `refs/heads/${branch}`,
      repository: { full_name: fullName, clone_url: cloneUrl(fullName) },
      installation: { id: installationId },
    }),
    stop: async () => {
      await Promise.all([github.close(), git.stop()]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Answers requests whose token does not open the repository, the way GitHub does. */
function refuse(request: IncomingMessage, response: ServerResponse, opens: GithubServer['opens']): boolean {
  const [, encoded = ''] = request.headers.authorization?.split(' ') ?? [];
  const [username, token = ''] = Buffer.from(encoded, 'base64').toString().split(':');
  const fullName = /^\/([^/]+\/[^/]+)\.git\//.exec(request.url ?? '')?.[1] ?? '';
  if (username === 'x-access-token' && opens(token, fullName)) return false;
  response.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' }).end('Bad credentials');
  return true;
}
