import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { GitRemotesService } from './git-remotes.service';

@Controller()
export class GitRemotesController implements Operations<'build-worker', 'Git Remotes'> {
  constructor(private readonly remotes: GitRemotesService) {}

  @Operation('getGitRemote')
  getGitRemote({ principal, path }: Call<'getGitRemote'>) {
    return this.remotes.read(principal, path.deploymentId);
  }

  @Operation('connectGitRemote')
  connectGitRemote({ principal, path, body }: Call<'connectGitRemote'>) {
    return this.remotes.connect(principal, path.deploymentId, body);
  }

  @Operation('disconnectGitRemote')
  disconnectGitRemote({ principal, path }: Call<'disconnectGitRemote'>) {
    return this.remotes.disconnect(principal, path.deploymentId);
  }

  @Operation('generateGitRemoteKey')
  generateGitRemoteKey({ principal, path }: Call<'generateGitRemoteKey'>) {
    return this.remotes.generateKey(principal, path.deploymentId);
  }

  @Operation('regenerateGitRemoteWebhookToken')
  regenerateGitRemoteWebhookToken({ principal, path }: Call<'regenerateGitRemoteWebhookToken'>) {
    return this.remotes.regenerateWebhookToken(principal, path.deploymentId);
  }

  @Operation('receiveGitRemoteWebhook')
  receiveGitRemoteWebhook({ principal, path, query, headers }: Call<'receiveGitRemoteWebhook'>) {
    return this.remotes.receiveWebhook(principal, path.deploymentId, query, headers);
  }
}
