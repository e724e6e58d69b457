import { Module } from '@nestjs/common';
import { GitRemotesModule } from './git-remotes/git-remotes.module';
import { GithubModule } from './github/github.module';

/** Deployments that follow repositories elsewhere, at GitHub and at any git host. */
@Module({ imports: [GitRemotesModule, GithubModule], exports: [GitRemotesModule] })
export class RemotesModule {}
