import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { DbtSourcesService } from './sources/dbt-sources.service';
import { SourceTestService } from './sources/source-test.service';
import { StartDbtSyncService } from './start/start-dbt-sync.service';
import { DbtSyncsService } from './syncs/dbt-syncs.service';
import { DbtWebhooksService } from './webhooks/dbt-webhooks.service';

@Controller()
export class DbtSyncController implements Operations<'build-worker', 'dbt Sync'> {
  constructor(
    private readonly syncs: DbtSyncsService,
    private readonly starting: StartDbtSyncService,
    private readonly sources: DbtSourcesService,
    private readonly tests: SourceTestService,
    private readonly webhooks: DbtWebhooksService,
  ) {}

  @Operation('listDbtSyncs')
  listDbtSyncs({ principal, path, query }: Call<'listDbtSyncs'>) {
    return this.syncs.list(principal, path.deploymentId, query);
  }

  @Operation('startDbtSync')
  startDbtSync({ principal, path, upload }: Call<'startDbtSync'>) {
    return this.starting.start(principal, path.deploymentId, upload);
  }

  @Operation('getDbtSyncStatus')
  getDbtSyncStatus({ principal, path }: Call<'getDbtSyncStatus'>) {
    return this.syncs.status(principal, path.deploymentId, path.syncJobId);
  }

  @Operation('cancelDbtSync')
  cancelDbtSync({ principal, path }: Call<'cancelDbtSync'>) {
    return this.syncs.cancel(principal, path.deploymentId, path.syncJobId);
  }

  @Operation('getDbtSyncResult')
  getDbtSyncResult({ principal, path }: Call<'getDbtSyncResult'>) {
    return this.syncs.result(principal, path.deploymentId, path.syncJobId);
  }

  @Operation('getDbtSyncLogs')
  getDbtSyncLogs({ principal, path }: Call<'getDbtSyncLogs'>) {
    return this.syncs.log(principal, path.deploymentId, path.syncJobId);
  }

  @Operation('getDbtSyncGeneratedFiles')
  getDbtSyncGeneratedFiles({ principal, path, query }: Call<'getDbtSyncGeneratedFiles'>) {
    return this.syncs.files(principal, path.deploymentId, path.syncJobId, query);
  }

  @Operation('getDbtSource')
  getDbtSource({ principal, path }: Call<'getDbtSource'>) {
    return this.sources.read(principal, path.deploymentId);
  }

  @Operation('putDbtSource')
  putDbtSource({ principal, path, body }: Call<'putDbtSource'>) {
    return this.sources.put(principal, path.deploymentId, body);
  }

  @Operation('deleteDbtSource')
  deleteDbtSource({ principal, path }: Call<'deleteDbtSource'>) {
    return this.sources.remove(principal, path.deploymentId);
  }

  @Operation('testDbtSource')
  testDbtSource({ principal, path }: Call<'testDbtSource'>) {
    return this.tests.test(principal, path.deploymentId);
  }

  @Operation('regenerateDbtWebhookSecret')
  regenerateDbtWebhookSecret({ principal, path }: Call<'regenerateDbtWebhookSecret'>) {
    return this.webhooks.regenerateSecret(principal, path.deploymentId);
  }

  @Operation('receiveDbtWebhook')
  receiveDbtWebhook({ principal, path, headers, rawBody }: Call<'receiveDbtWebhook'>) {
    return this.webhooks.receive(principal, path.deploymentId, headers ?? {}, Buffer.from(rawBody ?? '', 'base64'));
  }
}
