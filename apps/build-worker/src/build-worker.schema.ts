import type { ServiceSchema } from '@plinth/database';
import { Branch, DevSession, Repository } from './data-models';
import { Build } from './builds';
import { GithubInstallation, GitRemote } from './remotes';
import { CreateDataModels1700200000000 } from './migrations/pre-deploy/1700200000000-CreateDataModels.migration';
import { CreateGithubInstallations1700210100000 } from './migrations/pre-deploy/1700210100000-CreateGithubInstallations.migration';
import { CreateGitRemotes1700210200000 } from './migrations/pre-deploy/1700210200000-CreateGitRemotes.migration';
import { CreateGithubDeliveries1700210300000 } from './migrations/pre-deploy/1700210300000-CreateGithubDeliveries.migration';
import { CreateCompileResults1700220200000 } from './migrations/pre-deploy/1700220200000-CreateCompileResults.migration';
import { ClaimRemoteTasks1700230100000 } from './migrations/pre-deploy/1700230100000-ClaimRemoteTasks.migration';
import { CreateRepositoryStorage1700940000000 } from './migrations/pre-deploy/1700940000000-CreateRepositoryStorage.migration';
import { ClaimBuilds1701100000000 } from './migrations/pre-deploy/1701100000000-ClaimBuilds.migration';
import { CreateUploads1700200000001 } from './migrations/pre-deploy/1700200000001-CreateUploads.migration';
import { KeepTranspiledModels1701210000000 } from './migrations/pre-deploy/1701210000000-KeepTranspiledModels.migration';
import { CreateDbtSyncs1701600100000 } from './migrations/pre-deploy/1701600100000-CreateDbtSyncs.migration';
import { ReceiveDbtPushes1701640000000 } from './migrations/pre-deploy/1701640000000-ReceiveDbtPushes.migration';
import { Upload, UploadFile } from './authoring';
import { DbtSource, DbtSync, DbtSyncLog } from './dbt';

export const buildWorkerSchema: ServiceSchema = {
  service: 'build-worker',
  entities: [
    ...[Repository, Branch, DevSession, Build, Upload, UploadFile, GithubInstallation, GitRemote],
    ...[DbtSource, DbtSync, DbtSyncLog],
  ],
  migrations: {
    preDeploy: [
      CreateDataModels1700200000000,
      CreateUploads1700200000001,
      CreateGithubInstallations1700210100000,
      CreateGitRemotes1700210200000,
      CreateGithubDeliveries1700210300000,
      CreateCompileResults1700220200000,
      ClaimRemoteTasks1700230100000,
      CreateRepositoryStorage1700940000000,
      ClaimBuilds1701100000000,
      KeepTranspiledModels1701210000000,
      CreateDbtSyncs1701600100000,
      ReceiveDbtPushes1701640000000,
    ],
    postDeploy: [],
  },
  retention: [
    { table: 'upload', expired: 'expires_at < now()' },
    { table: 'github_link_use', expired: "used_at < now() - interval '1 hour'" },
    { table: 'compile_result', expired: "last_used_at < now() - interval '7 days'" },
    { table: 'dbt_sync', expired: "status <> 'RUNNING' and started_at < now() - interval '90 days'" },
    { table: 'dbt_delivery', expired: "received_at < now() - interval '30 days'" },
    // Long after the three days for which GitHub lets people repeat a delivery.
    { table: 'github_delivery', expired: "received_at < now() - interval '30 days'" },
  ],
};
