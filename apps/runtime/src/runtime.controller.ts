import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { DataSourcesService } from './data-sources/data-sources.service';
import { LogsService } from './logs/logs.service';
import { PodsService } from './pods/pods.service';
import { QueriesService } from './serving/queries.service';

@Controller()
export class RuntimeController implements Operations<'runtime', 'Deployments' | 'Data'> {
  constructor(
    private readonly queries: QueriesService,
    private readonly podList: PodsService,
    private readonly logList: LogsService,
    private readonly dataSources: DataSourcesService,
  ) {}

  @Operation('queryEngine')
  queryEngine({ principal, path, body }: Call<'queryEngine'>) {
    return this.queries.query(principal, path.deploymentId, body);
  }

  @Operation('describeEngines')
  async describeEngines({ principal, path }: Call<'describeEngines'>) {
    return { isCold: this.podList.isCold(principal, path.deploymentId) };
  }

  @Operation('pods')
  pods({ principal, path, query }: Call<'pods'>) {
    return this.podList.list(principal, path.deploymentId, query);
  }

  @Operation('logs')
  logs({ principal, path, query }: Call<'logs'>) {
    return this.logList.list(principal, path.deploymentId, query);
  }

  @Operation('testDataSources')
  testDataSources({ principal, path, body }: Call<'testDataSources'>) {
    return this.dataSources.test(principal, path.deploymentId, body);
  }
}
